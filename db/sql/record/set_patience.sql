-- Why the search of a run ended before its budget.
UPDATE run SET patience_json = :json WHERE id = :run_id;
