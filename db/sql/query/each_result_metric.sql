-- Metrics of the trial :trial_id.
SELECT n.probe, n.name, n.unit, m.value
FROM metric m
JOIN metric_name n ON n.id = m.name_id
WHERE m.trial_id = :trial_id;
