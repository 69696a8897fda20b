-- Sources of earlier results of a kernel, the newest first: implementations named :implementation, and imports that name
-- none ('imported', reports/exchange), in workloads named :workload or of operator :operator. Times of a stand-in teach
-- nothing. Runs are found by device and problem, in an index that has all that is asked of them. With max(), SQLite takes
-- the other columns from the row that has it.
SELECT r.id, i.id, r.simulated, w.name, p.name, v.kind, v.model, p.dims_json, r.cache_policy,
  max(r.started_ms) AS newest_ms
FROM workload w
JOIN problem p ON p.workload_id = w.id
CROSS JOIN device v
CROSS JOIN run r ON r.device_id = v.id AND r.problem_id = p.id
CROSS JOIN run_implementation x ON x.run_id = r.id
JOIN implementation i ON i.id = x.implementation_id
WHERE (w.name = :workload OR w.operator = :operator)
  AND (i.name = :implementation OR (i.name = 'imported' AND r.imported))
  AND r.simulated = r.imported
GROUP BY r.device_id, r.problem_id, i.id, r.simulated, r.cache_policy
ORDER BY newest_ms DESC, r.id DESC, i.id DESC
LIMIT 1024;
