-- One trial, recorded at :recorded_ms or (NULL) now, no earlier than the newest row.
INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, rewrites_json, is_default,
  recorded_ms, clock_mhz, begin_ns, builds, status, phase, reason, log, artifact, cached,
  build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, samples, min_ns, q1_ns, median_ns, q3_ns, max_ns,
  max_abs, mean_abs, max_rel, not_finite, bad, low_ns, high_ns, sample_order, retaken, notes, digest)
VALUES(:run_id, :implementation_id, :config_hash, :config_key, :config_json, :rewrites_json, :is_default,
  coalesce(:recorded_ms, iif((SELECT imported FROM run WHERE id = :run_id), :now_ms, max(:now_ms, (SELECT ms FROM newest)))),
  :clock_mhz, :begin_ns, :builds, :status, :phase, :reason, :log, :artifact, :cached,
  :build_ns, :load_ns, :verify_ns, :measure_ns, :launches, :n_samples, :samples, :min_ns, :q1_ns, :median_ns, :q3_ns,
  :max_ns, :max_abs, :mean_abs, :max_rel, :not_finite, :bad, :low_ns, :high_ns, :sample_order, :retaken, :notes,
  :digest);
