-- The same columns as history_finals, of the subjects whose outcomes are not kept.
SELECT f.run_id, f.implementation_id, f.config_hash, f.config_key, f.winner, f.median_ns, f.clock_mhz
FROM stale s
CROSS JOIN run r ON r.device_id = s.device_id AND r.problem_id = s.problem_id
CROSS JOIN final f ON f.run_id = r.id;
