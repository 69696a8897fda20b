-- Members of struct db_run_final: the finalists of the run :run_id, the winner first, then by ratio.
SELECT i.id, i.name, f.config_key,
  coalesce((SELECT max(t.id) FROM trial t
    WHERE t.run_id = f.run_id AND t.implementation_id = f.implementation_id
      AND t.config_hash = f.config_hash AND t.config_key = f.config_key), 0),
  coalesce((SELECT max(t.id) FROM trial t JOIN run o ON o.id = t.run_id
    WHERE t.implementation_id = f.implementation_id
      AND t.config_hash = f.config_hash AND t.config_key = f.config_key
      AND o.device_id = r.device_id AND o.problem_id = r.problem_id), 0),
  f.standing, f.winner,
  EXISTS (SELECT 1 FROM trial t
    WHERE t.is_default AND t.implementation_id = f.implementation_id
      AND t.config_hash = f.config_hash AND t.config_key = f.config_key),
  f.ratio, f.ratio_low, f.ratio_high, f.median_ns, f.low_ns, f.high_ns, f.n_samples,
  f.min_ns, f.q1_ns, f.q3_ns, f.max_ns, f.clock_mhz,
  f.bits, f.compared, f.varied, f.varied_abs, f.sets, f.places,
  -- The configuration that was measured where the code is this one's.
  coalesce((SELECT t.same_implementation_id || ':' || t.same_hash FROM trial t
      WHERE t.implementation_id = f.implementation_id AND t.config_hash = f.config_hash AND t.same_hash IS NOT NULL
      ORDER BY t.id DESC LIMIT 1),
    f.implementation_id || ':' || f.config_hash)
FROM final f
JOIN run r ON r.id = f.run_id
JOIN implementation i ON i.id = f.implementation_id
WHERE f.run_id = :run_id
ORDER BY f.winner DESC, f.ratio, f.median_ns, f.config_key;
