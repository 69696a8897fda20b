-- The same columns as history_trials, of the runs of one device and problem but for sides of gates.
SELECT t.run_id, t.implementation_id, t.id, t.config_hash, t.config_key, t.status, t.median_ns, t.clock_mhz
FROM run r
CROSS JOIN trial t ON t.run_id = r.id
WHERE r.device_id = :device_id AND r.problem_id = :problem_id AND r.strategy IS NOT 'gate'
ORDER BY t.id DESC;
