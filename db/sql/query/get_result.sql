-- Rewrites and result of the trial :trial_id.
SELECT rewrites_json, status, phase, reason, log, artifact, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, samples,
  min_ns, q1_ns, median_ns, q3_ns, max_ns, max_abs, mean_abs, max_rel, not_finite, bad, low_ns, high_ns,
  sample_order, retaken, notes, digest, verified_by
FROM trial WHERE id = :trial_id;
