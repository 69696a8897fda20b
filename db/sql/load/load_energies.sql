-- Configurations of a subject whose energy was measured by a run of it: J of a launch, and its interval.
SELECT r.id, p.implementation_id, p.config_key,
  max(x.value) FILTER (WHERE n.name = 'energy_j') AS joules,
  max(x.value) FILTER (WHERE n.name = 'energy_low_j'),
  max(x.value) FILTER (WHERE n.name = 'energy_high_j')
FROM run r
CROSS JOIN profile p ON p.run_id = r.id
CROSS JOIN reading x ON x.profile_id = p.id AND x.call = 0
JOIN metric_name n ON n.id = x.name_id AND n.probe = 'energy'
WHERE r.device_id = :device_id AND r.problem_id = :problem_id AND NOT r.imported
GROUP BY p.id
HAVING joules > 0;
