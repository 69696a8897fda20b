-- All trials of each configuration that has ever failed in a way that may withdraw it (reports/results/stands.h).
-- The condition is that of the index trial_failed, which no other condition can use but that with IN, which older files have.
-- CROSS JOIN keeps the order of the loops: trials of one configuration follow each other.
SELECT x.device_id, x.problem_id, x.implementation_id, x.config_key, o.id, o.simulated, t.id, t.status, t.recorded_ms
FROM (SELECT DISTINCT r.device_id, r.problem_id, f.implementation_id, f.config_hash, f.config_key
  FROM trial f INDEXED BY trial_failed
  JOIN run r ON r.id = f.run_id AND NOT r.imported AND r.strategy IS NOT 'gate'
  WHERE f.status = 'wrong' OR f.status = 'crashed' OR f.status = 'timeout' OR f.status = 'impossible') x
CROSS JOIN run o ON o.device_id = x.device_id AND o.problem_id = x.problem_id AND NOT o.imported
  AND o.strategy IS NOT 'gate'
CROSS JOIN trial t ON t.run_id = o.id AND t.implementation_id = x.implementation_id
  AND t.config_hash = x.config_hash AND t.config_key = x.config_key;
