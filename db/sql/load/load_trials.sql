-- Trials of a subject, those of a run together: CROSS JOIN has SQLite go run by run, through the index trial_run.
SELECT t.run_id, t.id, t.implementation_id, t.config_hash, t.config_key, t.status, t.is_default, t.recorded_ms,
  t.n_samples, t.median_ns, t.min_ns, t.max_ns, t.low_ns, t.high_ns, t.clock_mhz
FROM run r CROSS JOIN trial t ON t.run_id = r.id
WHERE r.device_id = :device_id AND r.problem_id = :problem_id AND NOT r.imported
  AND r.strategy IS NOT 'gate';
