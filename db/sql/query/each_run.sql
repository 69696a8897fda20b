-- The fields of db_run_fields: runs, of which :run_id (0: any), :workload and :problem (NULL: any) choose. Trials are
-- configurations: one that failed after it had passed has a trial more, which is the one that counts.
WITH machines AS MATERIALIZED (
  SELECT v.id AS device_id, iif(m.n > 1, v.machine, NULL) AS machine
  FROM device v
  JOIN (SELECT kind, model, count(DISTINCT machine) AS n FROM device GROUP BY kind, model) m
    ON m.kind = v.kind AND m.model IS v.model)
SELECT r.id, w.name, p.name, p.dims_json, p.key, r.workload_file, r.workload_hash, r.source_commit, r.source_clean,
  v.kind, v.model, v.arch, v.driver, v.fingerprint, x.machine, r.version, r.strategy, r.seed, r.input_seeds, r.budget,
  r.cache_policy, r.baseline, r.history_json, r.patience_json, r.simulated, r.imported,
  strftime('%Y-%m-%dT%H:%M:%SZ', r.started_ms / 1000, 'unixepoch'),
  strftime('%Y-%m-%dT%H:%M:%SZ', r.ended_ms / 1000, 'unixepoch'), r.outcome,
  coalesce((SELECT sum(trials) FROM run_tried WHERE run_id = r.id),
    (SELECT count(*) FROM (SELECT status, max(id) FROM trial WHERE run_id = r.id
      GROUP BY implementation_id, config_key))),
  (SELECT json_group_object(s.status, s.n)
    FROM (SELECT status, sum(n) AS n
      FROM (SELECT status, trials AS n FROM run_tried WHERE run_id = r.id
        UNION ALL
        SELECT status, 1 FROM (SELECT status, max(id) FROM trial
          WHERE run_id = r.id AND NOT EXISTS (SELECT 1 FROM run_tried WHERE run_id = r.id)
          GROUP BY implementation_id, config_key))
      GROUP BY status ORDER BY n DESC) s),
  r.sure, r.noise_pct, r.steady_json, r.policy_json
FROM run r
JOIN device v ON v.id = r.device_id
JOIN machines x ON x.device_id = v.id
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
WHERE r.id BETWEEN :run_id AND iif(:run_id, :run_id, 0x7fffffffffffffff)
  AND (:workload IS NULL OR w.name = :workload) AND (:problem IS NULL OR p.name = :problem)
ORDER BY w.name, p.name, r.started_ms, r.id;
