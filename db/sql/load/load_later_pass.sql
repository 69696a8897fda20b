-- A trial of a configuration that passed on a device and problem later than at :recorded_ms, or then with a number
-- above :id. Runs are asked from the newest on, where one is found soon.
SELECT t.id, t.recorded_ms
FROM (SELECT id FROM run WHERE device_id = :device_id AND problem_id = :problem_id AND NOT imported
    AND strategy IS NOT 'gate'
  ORDER BY started_ms DESC) o
CROSS JOIN trial t ON t.run_id = o.id AND t.implementation_id = :implementation_id
  AND t.config_hash = :config_hash AND t.config_key = :config_key
WHERE +t.status = 'ok' AND (t.recorded_ms, t.id) > (:recorded_ms, :id)
LIMIT 1;
