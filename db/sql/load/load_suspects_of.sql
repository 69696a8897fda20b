-- The same as load_suspects, of the configurations that passed in the run :run_id or took part in its finals.
-- Most configurations never failed: the index says so before anything else is asked of them.
SELECT x.device_id, x.problem_id, x.implementation_id, x.config_key, o.id, o.simulated, t.id, t.status, t.recorded_ms
FROM (SELECT DISTINCT r.device_id, r.problem_id, a.implementation_id, a.config_hash, a.config_key
  FROM run r
  CROSS JOIN (SELECT implementation_id, config_hash, config_key FROM trial
      WHERE run_id = :run_id AND status = 'ok'
    UNION ALL SELECT implementation_id, config_hash, config_key FROM final
      WHERE run_id = :run_id) a
  WHERE r.id = :run_id AND NOT r.imported
    AND EXISTS (SELECT 1 FROM trial f INDEXED BY trial_failed
      WHERE f.implementation_id = a.implementation_id AND f.config_hash = a.config_hash
        AND f.status IN ('wrong', 'crashed', 'timeout'))) x
CROSS JOIN run o ON o.device_id = x.device_id AND o.problem_id = x.problem_id AND NOT o.imported
CROSS JOIN trial t ON t.run_id = o.id AND t.implementation_id = x.implementation_id
  AND t.config_hash = x.config_hash AND t.config_key = x.config_key;
