-- One trial, recorded at :recorded_ms or (NULL) now, no earlier than the newest row.
INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, rewrites_json, is_default,
  recorded_ms, begin_ns, status, phase, reason, log, artifact, cached, build_ns, load_ns, verify_ns, measure_ns,
  launches, n_samples, samples, min_ns, q1_ns, median_ns, q3_ns, max_ns, low_ns, high_ns, max_abs, mean_abs, max_rel,
  not_finite, bad, sample_order, retaken, notes, digest, verified_by, clock_mhz, builds,
  same_implementation_id, same_hash)
VALUES(:run_id, :implementation_id, :config_hash, :config_key, :config_json, :rewrites_json, :is_default,
  coalesce(:recorded_ms, iif((SELECT imported FROM run WHERE id = :run_id), :now_ms, max(:now_ms, (SELECT ms FROM newest)))),
  :begin_ns, :status, :phase, :reason, :log, :artifact, :cached, :build_ns, :load_ns, :verify_ns, :measure_ns,
  :launches, :n_samples, :samples, :min_ns, :q1_ns, :median_ns, :q3_ns, :max_ns, :low_ns, :high_ns, :max_abs, :mean_abs,
  :max_rel, :not_finite, :bad, :sample_order, :retaken, :notes, :digest, :verified_by, :clock_mhz,
  :builds, :same_implementation_id, :same_hash);
