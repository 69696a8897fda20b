-- Columns of db_find_profile(): the profile that counts of a configuration on device and problem of the run :run_id, under its
-- cache policy. Each run leaves one that rests on times; one that counted tells more of the same code and comes first.
SELECT p.id, p.label, p.basis, p.sentence, p.left_ratio, p.metric_set, p.caches, p.clock_mhz, p.passes, p.launches, p.spent_ns,
  p.failure
FROM run o
-- CROSS keeps SQLite from looking into each run of the problem.
CROSS JOIN profile p ON p.implementation_id = :implementation_id AND p.config_key = :config_key
CROSS JOIN run r ON r.id = p.run_id
WHERE o.id = :run_id AND r.device_id = o.device_id AND r.problem_id = o.problem_id AND r.cache_policy IS o.cache_policy
  AND r.imported = o.imported
ORDER BY p.passes > 0 DESC, r.started_ms DESC, p.id DESC LIMIT 1;
