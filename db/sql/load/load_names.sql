-- Names of a subject. Machines of one model are distinguished where several are known; rows recorded before machines
-- were known belong to the only one.
WITH machines AS MATERIALIZED (
  SELECT v.id AS device_id, iif(m.n > 1, v.machine, NULL) AS machine
  FROM device v
  JOIN (SELECT kind, model, count(DISTINCT machine) AS n FROM device GROUP BY kind, model) m
    ON m.kind = v.kind AND m.model IS v.model)
SELECT w.name, p.name, p.key, v.kind, v.model, v.fingerprint, x.machine
FROM device v
JOIN machines x ON x.device_id = v.id
JOIN problem p ON p.id = :problem_id
JOIN workload w ON w.id = p.workload_id
WHERE v.id = :device_id;
