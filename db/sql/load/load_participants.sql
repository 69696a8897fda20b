-- Implementations that took part in the runs on a device of all problems with the workload and name of one problem, the
-- newest run first. CROSS JOIN has SQLite go problem by problem, through the index run_subject: else it reads each run of the device.
SELECT r.id, r.problem_id, i.id, i.name
FROM problem own
CROSS JOIN problem p ON p.workload_id = own.workload_id AND p.name = own.name
CROSS JOIN run r ON r.device_id = :device_id AND r.problem_id = p.id AND NOT r.imported
JOIN run_implementation x ON x.run_id = r.id
JOIN implementation i ON i.id = x.implementation_id
WHERE own.id = :problem_id
ORDER BY r.started_ms DESC, r.id DESC, i.id;
