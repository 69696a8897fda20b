-- The mark of one subject whose kept answers were stale.
DELETE FROM stale WHERE device_id = :device_id AND problem_id = :problem_id;
