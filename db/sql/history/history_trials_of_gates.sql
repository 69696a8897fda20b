-- The same columns as history_trials, of the sides of gates, whose outcomes are not kept.
SELECT t.run_id, t.implementation_id, t.id, t.config_hash, t.config_key, t.status, t.median_ns, t.clock_mhz
FROM run r
CROSS JOIN trial t ON t.run_id = r.id
WHERE r.strategy = 'gate'
ORDER BY t.id DESC;
