-- Trials, the newest run first, of later runs up to :until by which the row of trial :trial_id may go, if they began no earlier:
-- a search by the same policy has tried the configuration again, and it passed then or ended alike. run, its start, trial, its
-- time
SELECT x.run_id, o.started_ms, x.id, y.recorded_ms
FROM trial t
CROSS JOIN run r ON r.id = t.run_id
-- A range of one index: a seek for each later run would cost as many as there are nights. The row is read last, of runs that
-- count.
CROSS JOIN trial x ON x.implementation_id = t.implementation_id AND x.config_hash = t.config_hash
  AND x.run_id > t.run_id AND x.run_id <= :until
CROSS JOIN run o ON o.id = x.run_id
CROSS JOIN trial y ON y.id = x.id
WHERE t.id = :trial_id
  AND o.device_id = r.device_id AND o.problem_id = r.problem_id AND o.cache_policy IS r.cache_policy
  AND o.policy_json IS r.policy_json AND o.simulated = r.simulated AND NOT o.imported AND is_search(o.strategy)
  AND o.outcome = 'done' AND y.config_key = t.config_key AND (y.status = t.status OR y.status = 'ok')
ORDER BY x.run_id DESC;
