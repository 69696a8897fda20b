-- Changes the newest trial of a configuration in a run to ok, or in the newest earlier run of the same subject.
UPDATE trial SET status = 'ok', reason = NULL
WHERE id = (SELECT t.id
    FROM trial t
    JOIN run r ON r.id = t.run_id
    JOIN run o ON o.device_id = r.device_id AND o.problem_id = r.problem_id AND o.cache_policy IS r.cache_policy
    WHERE o.id = :run_id AND t.implementation_id = :implementation_id AND t.config_hash = :config_hash
      AND t.config_key = :config_key AND NOT r.imported AND r.id <= o.id
    ORDER BY r.id = o.id DESC, t.recorded_ms DESC, t.id DESC LIMIT 1)
  AND status IN ('undecided', 'slow');
