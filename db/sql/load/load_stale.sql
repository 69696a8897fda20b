-- Subjects whose kept answers are stale, of the workload :workload or (NULL) of all.
SELECT device_id, problem_id
FROM stale
WHERE :workload IS NULL OR problem_id IN
  (SELECT p.id FROM problem p JOIN workload w ON w.id = p.workload_id WHERE w.name = :workload);
