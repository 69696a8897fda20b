-- Runs of a subject that answers may rest on, the newest first. Last column: whether the run's policy asks for finals (-1: it cannot be read).
SELECT id, cache_policy, simulated, started_ms, decided, sure, noise_pct, baseline,
  CASE WHEN policy_json IS NULL THEN 0
    WHEN json_valid(policy_json) THEN coalesce(json_extract(policy_json, '$.finals_ratio'), 0) > 0
    ELSE -1 END
FROM run
WHERE device_id = :device_id AND problem_id = :problem_id AND NOT imported AND ifnull(strategy, '') NOT IN ('gate', 'profile')
ORDER BY started_ms DESC, id DESC;
