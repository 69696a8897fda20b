-- Metrics of trial :trial_id; as one of them the time of its compiler, which an artifact from the cache has not; and the
-- energy of a launch, of the profile that its run made of the configuration.
SELECT n.probe, n.name, m.value
FROM metric m
JOIN metric_name n ON n.id = m.name_id
WHERE m.trial_id = :trial_id AND m.value IS NOT NULL
UNION ALL
SELECT 'build', 'ns', build_ns FROM trial WHERE id = :trial_id AND NOT cached AND build_ns > 0
UNION ALL
SELECT n.probe, n.name, x.value
FROM trial t
JOIN profile p ON p.run_id = t.run_id AND p.implementation_id = t.implementation_id AND p.config_key = t.config_key
JOIN reading x ON x.profile_id = p.id AND x.call = 0
JOIN metric_name n ON n.id = x.name_id
WHERE t.id = :trial_id AND n.probe = 'energy' AND n.name = 'energy_j' AND x.value IS NOT NULL;
