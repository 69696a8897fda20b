-- Subjects of trials that are :simulated or not: device, problem, cache policy and implementation. The fields of
-- db_record_fields that name one, then its export and its rows. Found in the index trial_run alone.
SELECT w.name, w.operator, p.name, p.dims_json, p.key, p.flops, p.bytes, d.kind, d.model, d.arch, d.driver,
  d.fingerprint, d.clock, g.cache_policy, i.name, i.idx, i.key,
  w.export_json, g.device_id, g.problem_id, g.implementation_id
FROM (SELECT DISTINCT r.device_id, r.problem_id, r.cache_policy, t.implementation_id
  FROM run r CROSS JOIN trial t ON t.run_id = r.id
  WHERE r.simulated = :simulated) g
JOIN implementation i ON i.id = g.implementation_id
JOIN device d ON d.id = g.device_id
JOIN problem p ON p.id = g.problem_id
JOIN workload w ON w.id = p.workload_id
ORDER BY w.name, p.name, p.key, d.kind, d.model, d.fingerprint, g.cache_policy, i.name, i.idx, i.key;
