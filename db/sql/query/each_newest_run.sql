-- Members of struct db_run_view: the newest run with results of each workload, problem, device and cache policy.
-- One pass over the trials, and of all runs only numbers are sorted. The trials of a run lie between its first and
-- last, so that asking for them needs no index.
WITH machines AS MATERIALIZED (
  SELECT v.id AS device_id, iif(m.n > 1, v.machine, NULL) AS machine
  FROM device v
  JOIN (SELECT kind, model, count(DISTINCT machine) AS n FROM device GROUP BY kind, model) m
    ON m.kind = v.kind AND m.model IS v.model),
counted AS MATERIALIZED (
  SELECT run_id, count(*) AS n, sum(status = 'ok') AS ok, min(id) AS first, max(id) AS last
  FROM trial GROUP BY run_id),
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
  SELECT c.*, row_number() OVER s AS age, lead(c.run_id) OVER s AS before_id,
    lead(c.first) OVER s AS before_first, lead(c.last) OVER s AS before_last,
    count(*) OVER (PARTITION BY l.place) AS runs
  FROM counted c
  JOIN run r ON r.id = c.run_id
  JOIN places l ON l.device_id = r.device_id AND l.problem_id = r.problem_id
    AND l.cache_policy IS r.cache_policy AND l.simulated = r.simulated
  WHERE r.strategy IS NOT 'table'
  WINDOW s AS (PARTITION BY l.place
    ORDER BY is_search(r.strategy) DESC, r.started_ms DESC, r.id DESC))
SELECT w.name, w.operator, p.name, p.key, v.kind, v.model, v.machine, v.arch, v.driver, v.clock, r.cache_policy,
  r.strategy, r.budget, r.version, r.outcome, r.baseline, r.workload_file,
  r.id, x.first, x.last, coalesce(x.before_id, 0), coalesce(x.before_first, 0), coalesce(x.before_last, 0),
  x.runs - 1, r.started_ms, coalesce(r.ended_ms, 0), x.n, x.ok,
  coalesce(json_extract(r.steady_json, '$.samples'), 0),
  coalesce(json_extract(r.steady_json, '$.load'), 0) + coalesce(json_extract(r.steady_json, '$.clock'), 0),
  r.simulated, r.imported, coalesce(p.flops, 0), coalesce(p.bytes, 0), v.fingerprint, p.element
FROM placed x
JOIN run r ON r.id = x.run_id
JOIN device v ON v.id = r.device_id
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
WHERE x.age = 1
ORDER BY r.simulated, r.started_ms DESC, r.id DESC;
