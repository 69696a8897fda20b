-- One trial, recorded at :recorded_ms or (NULL) now, no earlier than the newest row (add_run).
INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, rewrites_json, is_default,
  recorded_ms, clock_mhz, begin_ns, builds, status, phase, reason, log, artifact, cached,
  build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, samples, min_ns, q1_ns, median_ns, q3_ns, max_ns,
  max_abs, mean_abs, max_rel, not_finite, bad, low_ns, high_ns, sample_order, retaken, notes, digest)
VALUES(:run_id, :implementation_id, :config_hash, :config_key, :config_json, :rewrites_json, :is_default,
  coalesce(:recorded_ms, iif((SELECT imported FROM run WHERE id = :run_id), :now_ms, max(:now_ms,
    coalesce((SELECT started_ms FROM run WHERE NOT imported ORDER BY id DESC LIMIT 1), 0),
    coalesce((SELECT y.recorded_ms FROM trial y JOIN run x ON x.id = y.run_id
      WHERE y.id = (SELECT max(id) FROM trial) AND NOT x.imported), 0)))),
  :clock_mhz, :begin_ns, :builds, :status, :phase, :reason, :log, :artifact, :cached,
  :build_ns, :load_ns, :verify_ns, :measure_ns, :launches, :n_samples, :samples, :min_ns, :q1_ns, :median_ns, :q3_ns,
  :max_ns, :max_abs, :mean_abs, :max_rel, :not_finite, :bad, :low_ns, :high_ns, :sample_order, :retaken, :notes,
  :digest);
