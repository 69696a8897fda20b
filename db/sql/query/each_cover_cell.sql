-- Members of struct db_cover_cell: of each problem the rounds of the newest search and of covers, of equal names the
-- newest first.
WITH newest AS MATERIALIZED (
  SELECT max(r.id) AS run_id FROM run r
  WHERE EXISTS (SELECT 1 FROM final f WHERE f.run_id = r.id)
    AND NOT r.simulated AND NOT r.imported AND is_search(r.strategy)
  GROUP BY r.device_id, r.problem_id, r.cache_policy)
SELECT v.model, r.cache_policy, w.name, i.name, f.config_key, p.name, f.ratio,
  EXISTS (SELECT 1 FROM trial t
    WHERE t.is_default AND t.implementation_id = f.implementation_id
      AND t.config_hash = f.config_hash AND t.config_key = f.config_key),
  r.device_id, r.problem_id, f.implementation_id
FROM run r
JOIN final f ON f.run_id = r.id
JOIN implementation i ON i.id = f.implementation_id
JOIN device v ON v.id = r.device_id
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
WHERE (r.id IN newest OR (r.strategy = 'cover' AND NOT r.simulated AND NOT r.imported)) AND f.ratio > 0
ORDER BY v.model, r.cache_policy, w.name, i.name, f.config_key, p.name, r.id DESC;
