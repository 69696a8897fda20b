-- Rewrites and result of the trial :trial_id.
SELECT rewrites_json, status, phase, reason, log, artifact, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples,
  coalesce(t.samples, (SELECT s.samples FROM trial s
    WHERE s.implementation_id = t.same_implementation_id AND s.config_hash = t.same_hash AND s.run_id = t.run_id
      AND s.same_hash IS NULL ORDER BY s.id LIMIT 1)),
  min_ns, q1_ns, median_ns, q3_ns, max_ns, max_abs, mean_abs, max_rel, not_finite, bad, low_ns, high_ns,
  sample_order, retaken, notes, digest, verified_by,
  -- Whose samples these are.
  (SELECT si.name || ' ' || s.config_key FROM trial s JOIN implementation si ON si.id = s.implementation_id
    WHERE s.implementation_id = t.same_implementation_id AND s.config_hash = t.same_hash AND s.run_id = t.run_id
    ORDER BY s.id LIMIT 1)
FROM trial t WHERE id = :trial_id;
