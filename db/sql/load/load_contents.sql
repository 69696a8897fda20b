-- Implementations that took part in any run, with a number for each device, workload, name of the problem and own
-- name; of one number, which contents of the same implementation share, the newest run first.
SELECT dense_rank() OVER (ORDER BY r.device_id, p.workload_id, p.name, i.name) AS name,
  r.device_id, r.problem_id, i.id
FROM run_implementation x
JOIN run r ON r.id = x.run_id AND NOT r.imported
JOIN problem p ON p.id = r.problem_id
JOIN implementation i ON i.id = x.implementation_id
ORDER BY name, r.started_ms DESC, r.id DESC;
