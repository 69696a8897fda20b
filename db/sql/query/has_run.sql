-- A row for the run :run_id, if it is there.
SELECT id FROM run WHERE id = :run_id;
