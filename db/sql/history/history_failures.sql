-- Failures that can withdraw :config_key of :implementation, as it was in run :run_id, on the device and problem of that
-- run, the newest first: those of the index trial_failed, nearly always none.
SELECT i.id, t.id, t.recorded_ms, t.status
FROM run own
JOIN run_implementation x ON x.run_id = own.id
JOIN implementation i ON i.id = x.implementation_id AND i.name = :implementation
JOIN trial t INDEXED BY trial_failed ON t.implementation_id = i.id AND t.config_hash = :config_hash
  AND t.config_key = :config_key
  AND (t.status = 'wrong' OR t.status = 'crashed' OR t.status = 'timeout' OR t.status = 'impossible')
JOIN run r ON r.id = t.run_id AND r.device_id = own.device_id AND r.problem_id = own.problem_id AND NOT r.imported
  AND r.strategy IS NOT 'gate'
WHERE own.id = :run_id
ORDER BY t.recorded_ms DESC, t.id DESC;
