-- Finalists of a subject, those of a run together.
SELECT f.run_id, f.implementation_id, f.config_hash, f.config_key, f.winner, f.standing, f.ratio, f.median_ns, f.clock_mhz
FROM run r CROSS JOIN final f ON f.run_id = r.id
WHERE r.device_id = :device_id AND r.problem_id = :problem_id AND NOT r.imported;
