-- Failures of :implementation in run :run_id by the newest trial of each configuration, the most frequent status first,
-- each with the least of its reasons and a configuration that has it: with min() and max(), SQLite takes the other
-- columns from the row that has it.
SELECT status, count(*), min(reason), config_key
FROM (SELECT t.status, t.reason, t.config_key, max(t.id)
  FROM implementation i
  JOIN trial t ON t.implementation_id = i.id AND t.run_id = :run_id
  WHERE i.name = :implementation
  GROUP BY t.config_key)
WHERE status IN ('build_failed', 'load_failed', 'launch_failed', 'crashed', 'timeout', 'wrong', 'impossible')
GROUP BY status
ORDER BY count(*) DESC, status;
