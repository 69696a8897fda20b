-- Runs that started before :before_ms and are not among the :newest of their kind, on one device and problem and under one
-- cache policy. What was imported has no losers. Nothing is dropped of some (the last two columns): the two newest searches,
-- of which `track` compares the last with the one before, runs of its verdicts, and those that an acknowledged change begins
-- with; and runs of subjects whose kept answers are stale. Rows are removed of no run that an answer rests on, of searches that
-- ended alone, and of those that tried no configuration twice, which is a trial more. run, a number for its
-- subject and policies, its trials, kept, busy, removable
WITH placed AS MATERIALIZED (
  SELECT r.id, r.device_id, r.problem_id, r.started_ms, is_search(r.strategy) AND r.outcome IS 'done' AS ended,
    row_number() OVER (PARTITION BY r.device_id, r.problem_id, r.cache_policy, r.simulated, is_search(r.strategy)
      ORDER BY r.started_ms DESC, r.id DESC) AS place,
    dense_rank() OVER (ORDER BY r.device_id, r.problem_id, r.cache_policy, r.policy_json, r.simulated) AS kind
  FROM run r
  WHERE NOT r.imported)
SELECT p.id, p.kind, (SELECT count(*) FROM trial t WHERE t.run_id = p.id),
  p.place <= 2 OR p.id IN (SELECT run_id FROM verdict) OR p.started_ms IN (SELECT since_ms FROM acknowledgement),
  EXISTS (SELECT 1 FROM stale s WHERE s.device_id = p.device_id AND s.problem_id = p.problem_id),
  p.ended AND p.id NOT IN (SELECT t.run_id FROM answer a JOIN trial t ON t.id = a.trial_id)
    AND p.id NOT IN (SELECT final_run_id FROM answer WHERE final_run_id IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM trial t WHERE t.run_id = p.id GROUP BY t.implementation_id, t.config_hash HAVING count(*) > 1)
FROM placed p
WHERE p.started_ms < :before_ms AND p.place > :newest
ORDER BY p.id DESC;
