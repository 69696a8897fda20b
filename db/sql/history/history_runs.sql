-- Searches that ended, none of them simulated, with the number of their place: device, workload, problem and cache
-- policy, in this order. Edited problems and other drivers share a place; machines of one model are distinguished where
-- several are known. Runs of a place lie together, in no order. What a place has in common is read once for all of its
-- runs. A configuration asked for, a cover, or a part of a space (a share) is no search; sides of a gate are none either,
-- but are marked (last column): they are compared where their numbers are asked for.
WITH machines AS MATERIALIZED (
  SELECT v.id AS device_id, iif(m.n > 1, v.machine, NULL) AS machine
  FROM device v
  JOIN (SELECT kind, model, count(DISTINCT machine) AS n FROM device GROUP BY kind, model) m
    ON m.kind = v.kind AND m.model IS v.model),
places AS MATERIALIZED (
  SELECT u.device_id, u.problem_id, u.cache_policy, v.kind, v.model, x.machine, w.name AS workload, p.name AS problem,
    v.fingerprint, v.driver, v.arch, v.clock, p.key,
    coalesce(json_extract(w.export_json, '$."$track".threshold'), 0) AS threshold,
    dense_rank() OVER (ORDER BY v.kind, v.model, x.machine, w.name, p.name, u.cache_policy) AS place
  FROM (SELECT DISTINCT device_id, problem_id, cache_policy FROM run WHERE NOT simulated) u
  JOIN device v ON v.id = u.device_id
  JOIN machines x ON x.device_id = v.id
  JOIN problem p ON p.id = u.problem_id
  JOIN workload w ON w.id = p.workload_id)
SELECT l.place, r.id, r.started_ms, l.kind, l.model, l.machine, l.workload, l.problem, l.cache_policy,
  l.fingerprint, l.driver, l.arch, l.clock, r.version,
  substr(r.source_commit, 1, 12) || iif(r.source_clean, '', ' with changes'),
  coalesce(json_extract(r.steady_json, '$.unsteady'), 0), l.key, r.baseline, l.threshold,
  r.strategy IS 'gate'
FROM places l
CROSS JOIN run r ON r.device_id = l.device_id AND r.problem_id = l.problem_id AND r.cache_policy IS l.cache_policy
WHERE NOT r.simulated AND r.outcome = 'done' AND (is_search(r.strategy) OR r.strategy = 'gate')
  AND NOT EXISTS (SELECT 1 FROM share s WHERE s.id = r.share_id AND s.way = 'configurations');
