-- Readings of a launch that the profiles of two configurations of an implementation both have, each of a run of its own.
SELECT n.probe, n.name, n.unit, a.value, b.value
FROM profile p
JOIN implementation i ON i.id = p.implementation_id AND i.name = :implementation
JOIN profile q ON q.run_id = :after_run AND q.config_key = :after_config
JOIN implementation k ON k.id = q.implementation_id AND k.name = :implementation
JOIN reading a ON a.profile_id = p.id AND a.call = 0
JOIN reading b ON b.profile_id = q.id AND b.call = 0 AND b.name_id = a.name_id
JOIN metric_name n ON n.id = a.name_id
WHERE p.run_id = :before_run AND p.config_key = :before_config AND a.value IS NOT NULL AND b.value IS NOT NULL
ORDER BY n.probe, n.name;
