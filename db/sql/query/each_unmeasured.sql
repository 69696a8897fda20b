-- Members of struct db_unmeasured: implementations without a result in the newest run of a problem, found by numbers
-- first, then by names for the rest. With one max(), SQLite takes the other columns from the row that has it.
WITH machines AS MATERIALIZED (
  SELECT v.id AS device_id, iif(m.n > 1, v.machine, NULL) AS machine
  FROM device v
  JOIN (SELECT kind, model, count(DISTINCT machine) AS n FROM device GROUP BY kind, model) m
    ON m.kind = v.kind AND m.model IS v.model),
newest AS MATERIALIZED (
  SELECT r.id, r.outcome, max(r.started_ms) AS started_ms, v.kind, v.model,
    w.name AS workload, p.name AS problem, r.cache_policy
  FROM (SELECT id, device_id, problem_id, cache_policy, outcome, max(started_ms) AS started_ms
    FROM run r
    WHERE NOT simulated AND is_search(r.strategy)
    GROUP BY device_id, problem_id, cache_policy) r
  JOIN device v ON v.id = r.device_id
  JOIN machines x ON x.device_id = v.id
  JOIN problem p ON p.id = r.problem_id
  JOIN workload w ON w.id = p.workload_id
  GROUP BY v.kind, v.model, x.machine, w.name, p.name, r.cache_policy),
-- The newest trial of a configuration counts. Mostly one look finds one that passed: then no other trial is read.
without AS MATERIALIZED (
  SELECT n.id AS run_id, x.implementation_id
  FROM newest n
  JOIN run_implementation x ON x.run_id = n.id
  WHERE NOT EXISTS (SELECT 1 FROM trial t
    WHERE t.run_id = n.id AND t.implementation_id = x.implementation_id AND t.status = 'ok'
      AND NOT EXISTS (SELECT 1 FROM trial y
        WHERE y.implementation_id = t.implementation_id AND y.config_hash = t.config_hash AND y.run_id = t.run_id
          AND y.config_key = t.config_key AND y.id > t.id))),
recent AS MATERIALIZED (
  SELECT t.run_id, t.implementation_id, t.status, t.reason, max(t.id) AS id
  FROM without o CROSS JOIN trial t ON t.run_id = o.run_id AND t.implementation_id = o.implementation_id
  GROUP BY t.run_id, t.implementation_id, t.config_key),
seen AS MATERIALIZED (
  SELECT run_id, implementation_id, count(*) AS trials,
    sum(status IN ('ok', 'slow', 'undecided')) AS passed,
    sum(status IN ('build_failed', 'load_failed', 'launch_failed', 'crashed', 'timeout', 'wrong', 'impossible')) AS failed,
    status, reason, max(id)
  FROM recent GROUP BY run_id, implementation_id)
SELECT n.kind, n.model, n.workload, n.problem, n.cache_policy, i.name, n.outcome, s.status, s.reason,
  coalesce(s.trials, 0), n.started_ms, n.outcome IS 'done' AND s.passed = 0 AND s.failed > 0
FROM without o
JOIN newest n ON n.id = o.run_id
JOIN implementation i ON i.id = o.implementation_id
LEFT JOIN seen s ON s.run_id = o.run_id AND s.implementation_id = o.implementation_id
WHERE (s.trials > 0 OR n.outcome IS NOT 'done')
ORDER BY n.kind, n.model, n.workload, n.problem, n.cache_policy, i.name;
