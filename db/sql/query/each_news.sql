-- Members of struct db_news: trials with numbers above :after.
SELECT t.id, t.run_id, t.recorded_ms, t.status
FROM trial t
JOIN run r ON r.id = t.run_id AND NOT r.simulated
WHERE t.id > :after
ORDER BY t.id;
