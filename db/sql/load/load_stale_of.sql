-- A row where the kept answers of one subject are stale.
SELECT device_id, problem_id FROM stale WHERE device_id = :device_id AND problem_id = :problem_id;
