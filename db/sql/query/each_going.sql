-- Members of struct db_going: the :most newest runs of the workload :workload, or (NULL) of all.
SELECT r.id, r.started_ms, r.ended_ms, w.name, p.name, v.kind, v.model, r.budget, r.outcome
FROM run r
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
JOIN device v ON v.id = r.device_id
WHERE NOT r.simulated AND (:workload IS NULL OR w.name = :workload)
ORDER BY r.started_ms DESC, r.id DESC LIMIT :most;
