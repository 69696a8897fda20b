-- The same columns as history_trials, of the subjects whose outcomes are not kept.
SELECT t.run_id, t.implementation_id, t.id, t.config_hash, t.config_key, t.status, t.median_ns, t.clock_mhz
FROM stale s
CROSS JOIN run r ON r.device_id = s.device_id AND r.problem_id = s.problem_id
CROSS JOIN trial t ON t.run_id = r.id
ORDER BY t.id DESC;
