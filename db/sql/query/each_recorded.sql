-- Configurations with results that find_result.sql would find for the run :run_id, in the order in which they were
-- first recorded, with the number of that trial.
SELECT t.config_key, min(t.id) AS first_id
FROM run own
JOIN run_implementation ri ON ri.run_id = own.id
JOIN implementation i ON i.id = ri.implementation_id AND i.name = :implementation AND i.key = :implementation_key
JOIN trial t ON t.implementation_id = i.id
JOIN run r ON r.id = t.run_id AND NOT r.imported AND r.device_id = own.device_id
  AND r.problem_id = own.problem_id AND r.cache_policy IS own.cache_policy AND r.policy_json IS own.policy_json
WHERE own.id = :run_id
GROUP BY t.config_hash, t.config_key
ORDER BY first_id;
