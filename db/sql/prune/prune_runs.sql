-- Runs that started before :before_ms and are not among the :newest of their kind, on one device and problem and under one
-- cache policy. What was imported has no losers. Nothing is dropped of some (the last two columns): the two newest searches,
-- of which `track` compares the last with the one before, runs of its verdicts, and those that an acknowledged change begins
-- with; and runs of subjects whose kept answers are stale. run, device, problem, kept, busy
WITH placed AS MATERIALIZED (
  SELECT r.id, r.device_id, r.problem_id, r.started_ms, r.ended_ms,
    row_number() OVER (PARTITION BY r.device_id, r.problem_id, r.cache_policy, r.simulated, is_search(r.strategy)
      ORDER BY r.started_ms DESC, r.id DESC) AS place
  FROM run r
  WHERE NOT r.imported)
SELECT p.id, p.device_id, p.problem_id,
  p.place <= 2 OR p.id IN (SELECT run_id FROM verdict) OR p.started_ms IN (SELECT since_ms FROM acknowledgement),
  EXISTS (SELECT 1 FROM stale s WHERE s.device_id = p.device_id AND s.problem_id = p.problem_id)
FROM placed p
WHERE p.started_ms < :before_ms AND p.place > :newest
ORDER BY p.id;
