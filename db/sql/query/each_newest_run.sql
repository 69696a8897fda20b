-- Members of struct db_run_view: the newest run with results of each workload, problem, device and cache policy.
-- Of all runs only numbers are sorted, and trials are counted of the newest alone. The trials of a run lie between its first
-- and last, so that asking for them needs no index.
WITH machines AS MATERIALIZED (
  SELECT v.id AS device_id, iif(m.n > 1, v.machine, NULL) AS machine
  FROM device v
  JOIN (SELECT kind, model, count(DISTINCT machine) AS n FROM device GROUP BY kind, model) m
    ON m.kind = v.kind AND m.model IS v.model),
-- Runs of one place are compared: a place is a name, so that an edited workload stays where it was.
places AS MATERIALIZED (
  SELECT u.device_id, u.problem_id, u.cache_policy, u.simulated,
    dense_rank() OVER (ORDER BY u.simulated, v.kind, v.model, x.machine, w.name, p.name, u.cache_policy) AS place
  FROM (SELECT DISTINCT device_id, problem_id, cache_policy, simulated FROM run) u
  JOIN device v ON v.id = u.device_id
  JOIN machines x ON x.device_id = v.id
  JOIN problem p ON p.id = u.problem_id
  JOIN workload w ON w.id = p.workload_id),
-- A search comes before runs of the configurations that `run --config` or `--cover` asked for. What `--table` compares at
-- sizes between others is no result of its own.
placed AS MATERIALIZED (
  SELECT r.id AS run_id, row_number() OVER s AS age, lead(r.id) OVER s AS before_id, count(*) OVER (PARTITION BY l.place) AS runs
  FROM run r
  JOIN places l ON l.device_id = r.device_id AND l.problem_id = r.problem_id
    AND l.cache_policy IS r.cache_policy AND l.simulated = r.simulated
  WHERE r.strategy IS NOT 'table' AND EXISTS (SELECT 1 FROM trial WHERE run_id = r.id)
  WINDOW s AS (PARTITION BY l.place
    ORDER BY is_search(r.strategy) DESC, r.started_ms DESC, r.id DESC)),
newest AS MATERIALIZED (SELECT run_id, before_id, runs FROM placed WHERE age = 1),
counted AS MATERIALIZED (
  SELECT run_id, count(*) AS n, sum(status = 'ok') AS ok, min(id) AS first, max(id) AS last
  FROM trial WHERE run_id IN (SELECT run_id FROM newest UNION SELECT before_id FROM newest)
  GROUP BY run_id)
SELECT w.name, w.operator, p.name, p.key, v.kind, v.model, v.machine, v.arch, v.driver, v.clock, r.cache_policy,
  r.strategy, r.budget, r.version, r.outcome, r.baseline, r.workload_file,
  r.id, c.first, c.last, coalesce(x.before_id, 0), coalesce(b.first, 0), coalesce(b.last, 0),
  x.runs - 1, r.started_ms, coalesce(r.ended_ms, 0), c.n, c.ok,
  coalesce(json_extract(r.steady_json, '$.samples'), 0),
  coalesce(json_extract(r.steady_json, '$.load'), 0) + coalesce(json_extract(r.steady_json, '$.clock'), 0),
  r.simulated, r.imported, coalesce(p.flops, 0), coalesce(p.bytes, 0), v.fingerprint, p.element
FROM newest x
JOIN counted c ON c.run_id = x.run_id
LEFT JOIN counted b ON b.run_id = x.before_id
JOIN run r ON r.id = x.run_id
JOIN device v ON v.id = r.device_id
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
ORDER BY r.simulated, r.started_ms DESC, r.id DESC;
