-- Number and result of the newest trial of a configuration for the device, problem, cache policy and measuring
-- policy of the run :run_id.
SELECT t.id, status, phase, reason, log, artifact, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples,
  coalesce(t.samples, (SELECT s.samples FROM trial s
    WHERE s.implementation_id = t.same_implementation_id AND s.config_hash = t.same_hash AND s.run_id = t.run_id
      AND s.same_hash IS NULL ORDER BY s.id LIMIT 1)),
  min_ns, q1_ns, median_ns, q3_ns, max_ns, max_abs, mean_abs, max_rel, not_finite, bad, low_ns, high_ns,
  sample_order, retaken, notes, digest, verified_by,
  -- Whose samples these are.
  (SELECT si.name || ' ' || s.config_key FROM trial s JOIN implementation si ON si.id = s.implementation_id
    WHERE s.implementation_id = t.same_implementation_id AND s.config_hash = t.same_hash AND s.run_id = t.run_id
    ORDER BY s.id LIMIT 1)
FROM run own
JOIN run_implementation ri ON ri.run_id = own.id
JOIN implementation i ON i.id = ri.implementation_id AND i.name = :implementation AND i.key = :implementation_key
JOIN trial t ON t.implementation_id = i.id AND t.config_hash = :config_hash AND t.config_key = :config_key
JOIN run r ON r.id = t.run_id AND NOT r.imported AND r.device_id = own.device_id
  AND r.problem_id = own.problem_id AND r.cache_policy IS own.cache_policy AND r.policy_json IS own.policy_json
WHERE own.id = :run_id
ORDER BY t.recorded_ms DESC, t.id DESC LIMIT 1;
