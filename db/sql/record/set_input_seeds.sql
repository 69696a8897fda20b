-- The seeds of the sets of inputs behind the first, on which the finalists of a run were verified.
UPDATE run SET input_seeds = :json WHERE id = :run_id;
