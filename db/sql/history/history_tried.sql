-- The newest trial of :config_key of :implementation in run :run_id.
SELECT t.status, t.median_ns, t.artifact, t.reason
FROM implementation i
JOIN trial t ON t.implementation_id = i.id AND t.config_hash = :config_hash AND t.config_key = :config_key
  AND t.run_id = :run_id
WHERE i.name = :implementation
ORDER BY t.id DESC LIMIT 1;
