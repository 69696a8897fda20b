-- Members of struct db_compared: configurations of implementation :implementation_id in the runs of the problem, device
-- and cache policy of run :run_id; the newest run first. States are those of enum db_compared_state, by their numbers.
SELECT r.id AS run_id, x.config_key, x.state
FROM run s
JOIN run r ON r.device_id = s.device_id AND r.problem_id = s.problem_id AND r.cache_policy IS s.cache_policy
JOIN (
  SELECT run_id, config_key, 2 AS state FROM final WHERE implementation_id = :implementation_id
  UNION ALL
  SELECT run_id, config_key, CASE WHEN status = 'ok' THEN 3 WHEN status LIKE '%_failed' THEN 0 ELSE 1 END FROM trial WHERE implementation_id = :implementation_id
    AND status IN ('ok', 'build_failed', 'load_failed', 'launch_failed', 'crashed', 'timeout', 'wrong', 'impossible')) x ON x.run_id = r.id
WHERE s.id = :run_id AND NOT r.imported
ORDER BY r.id DESC, x.state;
