-- The subject of a run, imported or not.
SELECT device_id, problem_id, cache_policy FROM run WHERE id = :run_id;
