-- The newest trial that passed of :config_key of implementation :implementation_id, on the device and problem of run
-- :run_id, whatever the cache policy.
SELECT t.id, t.recorded_ms
FROM run own
CROSS JOIN run r ON r.device_id = own.device_id AND r.problem_id = own.problem_id AND NOT r.imported
  AND r.strategy IS NOT 'gate'
CROSS JOIN trial t ON t.run_id = r.id AND t.implementation_id = :implementation_id AND t.config_hash = :config_hash
  AND t.config_key = :config_key AND t.status = 'ok'
WHERE own.id = :run_id
ORDER BY t.recorded_ms DESC, t.id DESC LIMIT 1;
