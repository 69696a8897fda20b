-- Readings of a profile, in the order in which they were recorded. probe, name, unit, kernel, value, reason
SELECT n.probe, n.name, n.unit, x.call, x.value, x.reason
FROM reading x JOIN metric_name n ON n.id = x.name_id
WHERE x.profile_id = :profile_id
ORDER BY x.call, x.name_id;
