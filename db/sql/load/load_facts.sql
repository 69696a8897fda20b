-- Facts of trial :trial_id, device :device_id and problem :problem_id, answered in the finals of run :final_run_id (0:
-- none were held), whose times they have then. Shared rows say what the newest run said.
SELECT w.name, w.operator, p.name, p.dims_json, v.kind, v.model, v.arch, v.fingerprint, v.driver, v.clock,
  i.name, i.idx, t.config_json, t.config_key, coalesce(t.rewrites_json, '[]'),
  coalesce(f.median_ns, t.median_ns), coalesce(f.q1_ns, t.q1_ns), coalesce(f.q3_ns, t.q3_ns),
  coalesce(f.min_ns, t.min_ns), coalesce(f.max_ns, t.max_ns),
  iif(f.run_id IS NULL, t.low_ns, f.low_ns), iif(f.run_id IS NULL, t.high_ns, f.high_ns),
  coalesce(f.n_samples, t.n_samples), coalesce(f.clock_mhz, t.clock_mhz, 0),
  -- Finalists that :ties_json lists, [[implementation, hash of the configuration], ...], the answer first. The plus
  -- keeps SQLite from looking for a configuration in all runs that have tried it. Databases call 'undecided' 'unsure'.
  (SELECT json_group_array(json_object('implementation', name, 'config_key', config_key, 'ratio', ratio,
      'low', ratio_low, 'high', ratio_high, 'standing', iif(standing = 'unsure', 'undecided', standing),
      'winner', json(iif(chosen, 'true', 'false'))))
    FROM (SELECT m.name, n.*, n.implementation_id = t.implementation_id AND n.config_key = t.config_key AS chosen
      FROM json_each(:ties_json) x
      JOIN final n ON n.run_id = :final_run_id AND n.implementation_id = json_extract(x.value, '$[0]')
        AND +n.config_hash = json_extract(x.value, '$[1]')
      JOIN implementation m ON m.id = n.implementation_id
      ORDER BY chosen DESC, n.ratio, n.config_key)),
  p.flops, p.bytes, t.max_abs, t.verified_by,
  -- Bits of the outputs in those finals, the launches that were compared there, and how many classes of equal bits the
  -- finalists make.
  iif(f.bits IS NULL, NULL, json_object('digest', f.bits, 'compared', f.compared, 'varied', f.varied,
    'varied_abs', f.varied_abs, 'sets', f.sets, 'places', f.places,
    'classes', (SELECT count(DISTINCT bits) FROM final WHERE run_id = :final_run_id))),
  f.bits, f.compared, f.varied, f.varied_abs, f.sets, f.places,
  -- Metrics {"PROBE.NAME": value, ...}; null for what is not finite.
  (SELECT json_group_object(n.probe || '.' || n.name, iif(abs(m.value) < 9e999, m.value, NULL))
    FROM metric m JOIN metric_name n ON n.id = m.name_id WHERE m.trial_id = :trial_id),
  t.run_id, t.id, strftime('%Y-%m-%dT%H:%M:%SZ', t.recorded_ms / 1000, 'unixepoch'),
  -- Provenance: members of struct provenance (result/provenance); null for those that were not recorded.
  (SELECT json_object('device_model', v.model, 'device_driver', v.driver, 'device_arch', v.arch,
      'device_fingerprint', v.fingerprint, 'device_machine', v.machine, 'toolchain', i.toolchain, 'version', r.version,
      'workload_file', r.workload_file, 'workload_hash', r.workload_hash, 'problem_key', p.key,
      'implementation_key', i.key, 'artifact', t.artifact, 'digest', t.digest,
      'options', iif(json_valid(i.options), json(i.options), NULL),
      'sources', iif(json_valid(i.sources), json(i.sources), NULL),
      'policy', iif(json_valid(r.policy_json), json(r.policy_json), NULL))
    FROM trial t
    JOIN run r ON r.id = t.run_id
    JOIN device v ON v.id = r.device_id
    JOIN problem p ON p.id = r.problem_id
    JOIN implementation i ON i.id = t.implementation_id
    WHERE t.id = :trial_id),
  -- Names by which programs ask are the newest run's. What was measured with another source of the kernel than that run's
  -- has one that no program has, and no place in a package.
  CASE WHEN iif(json_valid(w.export_json), coalesce(json_extract(w.export_json, '$.triton.types."@source"'),
      json_extract(w.export_json, '$."$source".digest')), NULL) IS NOT NULL
      AND i.source_digest <> (SELECT ni.source_digest
        FROM run nr
        JOIN problem np ON np.id = nr.problem_id
        JOIN run_implementation q ON q.run_id = nr.id
        JOIN implementation ni ON ni.id = q.implementation_id
        WHERE np.workload_id = w.id AND ni.name = i.name AND NOT nr.simulated
        ORDER BY nr.started_ms DESC, nr.id DESC LIMIT 1)
    THEN json_replace(w.export_json, '$.triton.types."@source"', '0000000000000000', '$."$source"', NULL)
    ELSE w.export_json END,
  p.kinds_json, i.source_digest, r.outcome, r.budget, r.workload_file,
  -- Configurations of a run that is not done, each once: one that failed after it had passed has a trial more.
  iif(r.outcome IS 'done', 0,
    (SELECT count(*) FROM (SELECT status, max(id) FROM trial WHERE run_id = r.id
      GROUP BY implementation_id, config_key))),
  -- Nothing but the configurations of a table was compared, by `run --table`.
  NOT EXISTS (SELECT 1 FROM run o
    WHERE o.device_id = :device_id AND o.problem_id = :problem_id AND o.strategy IS NOT 'table'),
  p.element
FROM trial t
JOIN implementation i ON i.id = t.implementation_id
JOIN device v ON v.id = :device_id
JOIN problem p ON p.id = :problem_id
JOIN workload w ON w.id = p.workload_id
LEFT JOIN final f ON f.run_id = :final_run_id
  AND f.implementation_id = t.implementation_id AND f.config_key = t.config_key
JOIN run r ON r.id = iif(:final_run_id > 0, :final_run_id, t.run_id)
WHERE t.id = :trial_id;
