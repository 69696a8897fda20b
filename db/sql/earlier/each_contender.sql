-- Configurations of a problem, by its name, that passed when they were tried last on devices of that model with that cache policy,
-- of whatever share or machine: who won finals or tied in them, the fastest of each implementation, then the fastest of all
-- within half of the best time more. With max(), SQLite takes the other columns from the row that has it.
WITH runs AS MATERIALIZED (
  SELECT r.id
  FROM workload w
  JOIN problem p ON p.workload_id = w.id
  CROSS JOIN device v
  CROSS JOIN run r ON r.device_id = v.id AND r.problem_id = p.id
  WHERE w.name = :workload AND p.name = :problem AND v.kind = :device_kind AND v.model IS :device_model
    AND r.cache_policy IS :cache_policy AND NOT r.imported AND ifnull(r.strategy, '') NOT IN ('gate', 'profile')),
newest AS (
  SELECT i.name, t.config_hash, t.config_key, t.status, t.median_ns, max(t.recorded_ms)
  FROM runs r
  CROSS JOIN trial t ON t.run_id = r.id
  JOIN implementation i ON i.id = t.implementation_id
  GROUP BY i.name, t.config_hash, t.config_key),
ahead AS (
  SELECT DISTINCT i.name, f.config_key
  FROM runs r
  CROSS JOIN final f ON f.run_id = r.id
  JOIN implementation i ON i.id = f.implementation_id
  WHERE f.winner OR f.standing = 'tied'),
placed AS (
  SELECT n.name, n.config_key, n.median_ns, a.name IS NOT NULL AS won,
    row_number() OVER (PARTITION BY n.name ORDER BY n.median_ns, n.config_key) AS own_place,
    min(n.median_ns) OVER () AS least_ns
  FROM newest n
  LEFT JOIN ahead a ON a.name = n.name AND a.config_key = n.config_key
  WHERE n.status = 'ok' AND n.median_ns > 0)
SELECT name, config_key
FROM placed
WHERE won OR own_place = 1 OR median_ns <= 1.5 * least_ns
ORDER BY won DESC, own_place > 1, median_ns, name, config_key
LIMIT :most;
