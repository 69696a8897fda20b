-- The fields of db_record_fields and what follows them: trials that are :simulated or not, all or of each
-- configuration the :newest.
SELECT w.name, w.operator, p.name, p.dims_json, p.key, p.flops, p.bytes, d.kind, d.model, d.arch, d.driver,
  d.fingerprint, d.clock, r.cache_policy, i.name, i.idx, i.key,
  t.config_json, t.config_key, t.is_default, t.status, t.phase, t.reason, t.median_ns, t.q1_ns, t.q3_ns, t.min_ns,
  t.max_ns, t.low_ns, t.high_ns, t.n_samples, t.build_ns, t.load_ns, t.verify_ns, t.measure_ns, t.max_abs,
  t.verified_by,
  -- Metrics {"PROBE.NAME": value, ...}; null for what is not finite.
  (SELECT json_group_object(n.probe || '.' || n.name, iif(abs(m.value) < 9e999, m.value, NULL))
    FROM metric m JOIN metric_name n ON n.id = m.name_id WHERE m.trial_id = t.id),
  t.artifact, t.run_id, t.id, strftime('%Y-%m-%dT%H:%M:%fZ', t.recorded_ms / 1000.0, 'unixepoch'),
  coalesce(t.samples, (SELECT s.samples FROM trial s
    WHERE s.implementation_id = t.same_implementation_id AND s.config_hash = t.same_hash AND s.run_id = t.run_id
      AND s.same_hash IS NULL ORDER BY s.id LIMIT 1)),
  w.export_json, r.simulated, r.imported, r.device_id, r.problem_id, t.implementation_id
FROM (SELECT trial.*,
    row_number() OVER (PARTITION BY device_id, problem_id, implementation_id, cache_policy, config_key
      ORDER BY recorded_ms DESC, trial.id DESC) AS place
  FROM trial
  JOIN run ON run.id = trial.run_id
  WHERE run.simulated = :simulated) t
JOIN run r ON r.id = t.run_id
JOIN implementation i ON i.id = t.implementation_id
JOIN device d ON d.id = r.device_id
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
WHERE NOT :newest OR t.place = 1
ORDER BY w.name, p.name, p.key, d.kind, d.model, d.fingerprint, r.cache_policy, i.name, i.idx, i.key,
  t.recorded_ms, t.id;
