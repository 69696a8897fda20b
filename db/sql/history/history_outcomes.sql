-- Kept outcomes of runs, but for the subjects whose results have changed since.
SELECT o.run_id, o.implementation_id, o.config_key, o.trial_id, o.ns, o.clock_mhz, o.passed, o.failed
FROM outcome o
WHERE NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = o.device_id AND s.problem_id = o.problem_id);
