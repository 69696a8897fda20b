-- Trials of run :run_id, those of one configuration together, the newest first.
SELECT i.name, t.config_key, t.status, t.reason
FROM trial t
JOIN implementation i ON i.id = t.implementation_id
WHERE t.run_id = :run_id
ORDER BY i.name, t.config_key, t.id DESC;
