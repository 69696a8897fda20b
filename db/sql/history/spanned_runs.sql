-- Runs with times of their trials, simulated or not, by their start: run :run_id, or for 0 the newest of each workload,
-- problem, device and cache policy.
SELECT r.id, r.started_ms, w.name, p.name, v.kind, v.model, r.cache_policy, i.name, f.config_key,
  r.finals_ns IS NOT NULL, r.finals_begin_ns, r.finals_ns,
  (SELECT count(*) FROM final f WHERE f.run_id = r.id)
FROM (SELECT r.*, row_number() OVER (PARTITION BY p.workload_id, p.name, r.device_id, r.cache_policy
    ORDER BY r.started_ms DESC, r.id DESC) AS age
  FROM run r
  JOIN problem p ON p.id = r.problem_id
  WHERE r.simulated = :simulated AND EXISTS (SELECT 1 FROM trial t
    WHERE t.run_id = r.id AND (t.begin_ns IS NOT NULL OR t.builds IS NOT NULL))) r
JOIN device v ON v.id = r.device_id
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
LEFT JOIN final f ON f.rowid = (SELECT min(rowid) FROM final WHERE run_id = r.id AND winner)
LEFT JOIN implementation i ON i.id = f.implementation_id
WHERE iif(:run_id = 0, r.age = 1, r.id = :run_id)
ORDER BY r.started_ms, r.id;
