-- Subjects with a configuration whose energy was measured, of the workload :workload or (NULL) of all.
SELECT DISTINCT r.device_id, r.problem_id
FROM metric_name n
CROSS JOIN reading x ON x.name_id = n.id
JOIN profile p ON p.id = x.profile_id
JOIN run r ON r.id = p.run_id AND NOT r.imported
WHERE n.probe = 'energy' AND n.name = 'energy_j' AND x.value > 0 AND (:workload IS NULL OR r.problem_id IN
  (SELECT b.id FROM problem b JOIN workload w ON w.id = b.workload_id WHERE w.name = :workload));
