-- Metrics that trials :before and :after both have.
SELECT n.probe, n.name, n.unit, a.value, b.value
FROM metric a
JOIN metric b ON b.trial_id = :after AND b.name_id = a.name_id
JOIN metric_name n ON n.id = a.name_id
WHERE a.trial_id = :before AND a.value IS NOT NULL AND b.value IS NOT NULL
ORDER BY n.probe, n.name;
