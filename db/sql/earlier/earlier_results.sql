-- Configurations of implementation :implementation_id that passed when they were tried last, in the newest 16 runs of
-- the device, problem, origin and cache policy of run :run_id: the fastest quarter of :most, and behind it others in the
-- order of the hash of their keys, which is a sample that is always the same. Of at most 16,384 trials.
WITH runs AS MATERIALIZED (
  SELECT r.id
  FROM run own
  JOIN run r ON r.device_id = own.device_id AND r.problem_id = own.problem_id AND r.simulated = own.simulated
    AND r.cache_policy IS own.cache_policy
  WHERE own.id = :run_id
  ORDER BY r.started_ms DESC, r.id DESC
  LIMIT 16),
tried AS (
  SELECT t.id, t.config_hash, t.config_key, t.config_json, t.status, t.median_ns
  FROM runs r
  CROSS JOIN trial t ON t.run_id = r.id AND t.implementation_id = :implementation_id
  LIMIT 16384),
-- With max(), SQLite takes the other columns from the row that has it.
newest AS (
  SELECT max(id), config_hash, config_key, config_json, status, median_ns
  FROM tried
  GROUP BY config_hash, config_key),
placed AS (
  SELECT *, row_number() OVER (ORDER BY median_ns, config_key) AS place
  FROM newest
  WHERE status IN ('ok', 'slow', 'undecided') AND median_ns > 0)
SELECT config_json, median_ns
FROM placed
ORDER BY min(place, :most / 4 + 1), config_hash, config_key
LIMIT :most;
