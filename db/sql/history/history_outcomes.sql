-- Kept outcomes of runs, with device and problem: those of stale subjects are from before the last change.
SELECT device_id, problem_id, run_id, implementation_id, config_key, trial_id, ns, clock_mhz, passed, failed
FROM outcome;
