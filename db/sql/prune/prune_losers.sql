-- Trials of run :run_id, of :device_id and :problem_id, that are no more than losers, and have something to drop: neither a
-- default, nor of a configuration that ever was an answer, the finding of a run or in finals of the subject, has a profile, or
-- has samples that stand for another's, nor of a status that takes back an answer, nor of an implementation that never passed
-- in the run. trial, bytes of its samples with their notes, of its log, and whether its row goes: where :removable, a later
-- search by the same policy has tried the configuration again, which passed then or ended alike.
WITH later AS MATERIALIZED (
  SELECT o.id
  FROM run r
  JOIN run o ON o.device_id = r.device_id AND o.problem_id = r.problem_id AND o.cache_policy IS r.cache_policy
    AND o.policy_json IS r.policy_json AND o.simulated = r.simulated AND NOT o.imported AND is_search(o.strategy)
    AND o.outcome = 'done' AND o.started_ms >= r.started_ms AND o.id > r.id
  WHERE r.id = :run_id AND :removable
    AND NOT EXISTS (SELECT 1 FROM trial WHERE run_id = :run_id GROUP BY implementation_id, config_hash HAVING count(*) > 1)),
shown AS (
  SELECT trial_id FROM answer WHERE device_id = :device_id AND problem_id = :problem_id
  UNION ALL SELECT trial_id FROM outcome WHERE device_id = :device_id AND problem_id = :problem_id),
kept AS MATERIALIZED (
  SELECT t.implementation_id, t.config_hash FROM shown s JOIN trial t ON t.id = s.trial_id
  UNION SELECT f.implementation_id, f.config_hash FROM run o CROSS JOIN final f ON f.run_id = o.id
    WHERE o.device_id = :device_id AND o.problem_id = :problem_id
  UNION SELECT t.implementation_id, t.config_hash FROM profile p
    CROSS JOIN trial t ON t.run_id = p.run_id AND t.implementation_id = p.implementation_id AND t.config_key = p.config_key
    WHERE p.run_id = :run_id
  UNION SELECT same_implementation_id, same_hash FROM trial
    WHERE run_id = :run_id AND same_hash IS NOT NULL AND same_implementation_id IS NOT NULL)
SELECT t.id, coalesce(length(t.samples), 0) + coalesce(length(t.notes), 0), coalesce(length(CAST(t.log AS BLOB)), 0),
  -- A range of one index, the newest first: a seek for each later run would cost as many as there are nights.
  coalesce((SELECT 1 FROM trial x
    WHERE x.implementation_id = t.implementation_id AND x.config_hash = t.config_hash AND x.run_id > :run_id
      AND x.run_id IN (SELECT id FROM later) AND x.config_key = t.config_key AND x.id > t.id
      AND x.recorded_ms >= t.recorded_ms AND (x.status = t.status OR x.status = 'ok')
    ORDER BY x.run_id DESC LIMIT 1), 0)
FROM trial t
WHERE t.run_id = :run_id AND NOT t.is_default
  AND t.status IN ('ok', 'slow', 'undecided', 'planned', 'pruned', 'unsupported', 'build_failed', 'load_failed', 'launch_failed')
  AND t.implementation_id NOT IN (SELECT implementation_id FROM outcome
    WHERE device_id = :device_id AND problem_id = :problem_id AND run_id = :run_id AND NOT passed)
  AND t.id NOT IN (SELECT k.id FROM kept f CROSS JOIN trial k ON k.implementation_id = f.implementation_id
    AND k.config_hash = f.config_hash AND k.run_id = :run_id);
