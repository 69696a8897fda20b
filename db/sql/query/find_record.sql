-- The fields of db_record_fields and what follows them: the trial :trial_id.
SELECT w.name, w.operator, p.name, p.dims_json, p.key, p.flops, p.bytes, d.kind, d.model, d.arch, d.driver,
  d.fingerprint, d.clock, r.cache_policy, i.name, i.idx, i.key,
  t.config_json, t.config_key, t.is_default, t.status, t.phase, t.reason, t.median_ns, t.q1_ns, t.q3_ns, t.min_ns,
  t.max_ns, t.low_ns, t.high_ns, t.n_samples, t.build_ns, t.load_ns, t.verify_ns, t.measure_ns, t.max_abs,
  t.verified_by,
  -- Metrics {"PROBE.NAME": value, ...}; null for what is not finite.
  (SELECT json_group_object(n.probe || '.' || n.name, iif(abs(m.value) < 9e999, m.value, NULL))
    FROM metric m JOIN metric_name n ON n.id = m.name_id WHERE m.trial_id = t.id),
  t.artifact, t.run_id, t.id, strftime('%Y-%m-%dT%H:%M:%fZ', t.recorded_ms / 1000.0, 'unixepoch'),
  r.simulated, r.imported, t.implementation_id,
  -- Provenance: members of struct provenance (result/provenance); null for those that were not recorded.
  json_object('device_model', d.model, 'device_driver', d.driver, 'device_arch', d.arch,
    'device_fingerprint', d.fingerprint, 'toolchain', i.toolchain, 'version', r.version,
    'workload_file', r.workload_file, 'workload_hash', r.workload_hash, 'problem_key', p.key,
    'implementation_key', i.key, 'artifact', t.artifact, 'digest', t.digest,
    'options', iif(json_valid(i.options), json(i.options), NULL),
    'sources', iif(json_valid(i.sources), json(i.sources), NULL),
    'policy', iif(json_valid(r.policy_json), json(r.policy_json), NULL))
FROM trial t
JOIN run r ON r.id = t.run_id
JOIN implementation i ON i.id = t.implementation_id
JOIN device d ON d.id = r.device_id
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
WHERE t.id = :trial_id;
