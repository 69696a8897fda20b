-- Metrics of trial :trial_id, and as one of them the time of its compiler, which an artifact from the cache has not.
SELECT n.probe, n.name, m.value
FROM metric m
JOIN metric_name n ON n.id = m.name_id
WHERE m.trial_id = :trial_id AND m.value IS NOT NULL
UNION ALL
SELECT 'build', 'ns', build_ns FROM trial WHERE id = :trial_id AND NOT cached AND build_ns > 0;
