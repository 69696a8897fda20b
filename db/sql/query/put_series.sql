-- Makes sure that there is a row for the history of an implementation on the device and problem of the run :run_id.
INSERT INTO series(device_id, problem_id, implementation, figure)
SELECT device_id, problem_id, :implementation, :figure FROM run WHERE id = :run_id
ON CONFLICT DO NOTHING;
