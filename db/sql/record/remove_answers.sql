-- Answers of one subject.
DELETE FROM answer WHERE device_id = :device_id AND problem_id = :problem_id;
