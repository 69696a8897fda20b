-- The same columns as history_finals, of the runs of one device and problem.
SELECT f.run_id, f.implementation_id, f.config_hash, f.config_key, f.winner, f.median_ns, f.clock_mhz
FROM run r
CROSS JOIN final f ON f.run_id = r.id
WHERE r.device_id = :device_id AND r.problem_id = :problem_id;
