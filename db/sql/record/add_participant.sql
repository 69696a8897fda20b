-- An implementation takes part in a run.
INSERT INTO run_implementation(run_id, implementation_id) VALUES(:run_id, :implementation_id);
