-- Failures that may withdraw a configuration that passed in the run :run_id or took part in its finals, on the device
-- and problem of that run. A configuration may come more than once; its failures follow each other. Most
-- configurations never failed: the index trial_failed says so before anything else is asked of them.
SELECT r.device_id, r.problem_id, a.implementation_id, a.config_key, a.config_hash, f.id, f.status, f.recorded_ms
FROM run r
CROSS JOIN (SELECT implementation_id, config_hash, config_key FROM trial
    WHERE run_id = :run_id AND status = 'ok'
  UNION ALL SELECT implementation_id, config_hash, config_key FROM final
    WHERE run_id = :run_id) a
CROSS JOIN trial f INDEXED BY trial_failed ON f.implementation_id = a.implementation_id
  AND f.config_hash = a.config_hash AND f.config_key = a.config_key
  AND (f.status = 'wrong' OR f.status = 'crashed' OR f.status = 'timeout' OR f.status = 'impossible')
CROSS JOIN run q ON q.id = f.run_id AND q.device_id = r.device_id AND q.problem_id = r.problem_id AND NOT q.imported
  AND q.strategy IS NOT 'gate'
WHERE r.id = :run_id AND NOT r.imported;
