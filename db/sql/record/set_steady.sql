-- Causes that slowed a run down.
UPDATE run SET steady_json = :json WHERE id = :run_id;
