-- Members of struct db_environment: devices, drivers and versions that measured, the newest first.
SELECT v.kind, v.model, v.arch, v.driver, v.clock, v.fingerprint, r.version, r.n, r.first, r.last
FROM (SELECT device_id, version, count(*) AS n, min(started_ms) AS first, max(started_ms) AS last, max(id) AS id
  FROM run WHERE NOT simulated
  GROUP BY device_id, version) r
JOIN device v ON v.id = r.device_id
ORDER BY r.last DESC, r.id DESC;
