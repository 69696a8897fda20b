-- Names of a subject.
SELECT w.name, p.name, p.key, v.kind, v.model, v.fingerprint, x.machine
FROM device v
JOIN machines x ON x.device_id = v.id
JOIN problem p ON p.id = :problem_id
JOIN workload w ON w.id = p.workload_id
WHERE v.id = :device_id;
