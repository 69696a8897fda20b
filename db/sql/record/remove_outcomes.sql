-- Removes the kept outcomes of a device and problem.
DELETE FROM outcome WHERE device_id = :device_id AND problem_id = :problem_id;
