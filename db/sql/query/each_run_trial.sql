-- Members of struct db_run_trial: the trials of the run :run_id, which lie between :first_trial and :last_trial.
SELECT t.id, t.implementation_id, i.name, t.config_json, t.config_key, t.status, t.is_default, t.cached, t.recorded_ms,
  t.build_ns, t.load_ns, t.verify_ns, t.measure_ns, t.median_ns, t.low_ns, t.high_ns
FROM trial t
JOIN implementation i ON i.id = t.implementation_id
WHERE +t.run_id = :run_id AND t.id BETWEEN :first_trial AND :last_trial
ORDER BY t.id;
