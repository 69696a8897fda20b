-- The other fields of db_record_fields and what follows them: trials of one subject that are :simulated or not, all or of
-- each configuration the :newest, as they were recorded. Only numbers are sorted; LIMIT keeps SQLite from dropping the
-- order of a part of a join.
SELECT t.config_json, t.config_key, t.is_default, t.status, t.phase, t.reason, t.median_ns, t.q1_ns, t.q3_ns, t.min_ns,
  t.max_ns, t.low_ns, t.high_ns, t.n_samples, t.build_ns, t.load_ns, t.verify_ns, t.measure_ns, t.max_abs,
  t.verified_by,
  -- Metrics {"PROBE.NAME": value, ...}; null for what is not finite.
  (SELECT json_group_object(n.probe || '.' || n.name, iif(abs(m.value) < 9e999, m.value, NULL))
    FROM metric m JOIN metric_name n ON n.id = m.name_id WHERE m.trial_id = t.id),
  t.artifact, t.run_id, t.id, strftime('%Y-%m-%dT%H:%M:%fZ', t.recorded_ms / 1000.0, 'unixepoch'),
  coalesce(t.samples, (SELECT s.samples FROM trial s
    WHERE s.implementation_id = t.same_implementation_id AND s.config_hash = t.same_hash AND s.run_id = t.run_id
      AND s.same_hash IS NULL ORDER BY s.id LIMIT 1)),
  (SELECT imported FROM run WHERE id = t.run_id)
FROM (SELECT a.id, a.recorded_ms
    FROM run r CROSS JOIN trial a ON a.run_id = r.id AND a.implementation_id = :implementation_id
    WHERE NOT :newest AND r.device_id = :device_id AND r.problem_id = :problem_id AND r.cache_policy IS :cache_policy
      AND r.simulated = :simulated
  UNION ALL
  SELECT b.id, b.recorded_ms
    FROM (SELECT a.id, a.recorded_ms,
        row_number() OVER (PARTITION BY a.config_key ORDER BY a.recorded_ms DESC, a.id DESC) AS place
      FROM run r CROSS JOIN trial a ON a.run_id = r.id AND a.implementation_id = :implementation_id
      WHERE :newest AND r.device_id = :device_id AND r.problem_id = :problem_id AND r.cache_policy IS :cache_policy
        AND r.simulated = :simulated) b
    WHERE b.place = 1
  ORDER BY 2, 1
  LIMIT -1) o
CROSS JOIN trial t ON t.id = o.id;
