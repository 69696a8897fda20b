-- Keeps what a run found of an implementation.
INSERT INTO outcome(device_id, problem_id, run_id, implementation_id, config_key, trial_id, ns, clock_mhz, passed, failed)
VALUES(:device_id, :problem_id, :run_id, :implementation_id, :config_key, :trial_id, :ns, :clock_mhz, :passed, :failed);
