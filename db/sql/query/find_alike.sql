-- The newest run whose results another run may take: of the same device, problem, cache policy and measuring policy, in which the
-- implementation took part with that content.
SELECT r.id
FROM device v
JOIN run r ON r.device_id = v.id
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
JOIN run_implementation ri ON ri.run_id = r.id
JOIN implementation i ON i.id = ri.implementation_id
WHERE v.fingerprint = :fingerprint AND w.name = :workload AND p.name = :problem AND p.key = :problem_key
  AND r.cache_policy IS :cache_policy AND r.policy_json IS :policy_json AND NOT r.imported
  AND i.name = :implementation AND i.key = :implementation_key
ORDER BY r.started_ms DESC, r.id DESC LIMIT 1;
