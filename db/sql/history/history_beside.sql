-- Finalist :config_key of :implementation in run :run_id, and beside it finalist :other, both with a time, unless the
-- former has failed in that run. The plus keeps SQLite from reading all trials of the run that passed.
SELECT a.standing, a.median_ns, a.clock_mhz, a.ratio, a.ratio_low, b.winner, b.ratio, b.ratio_high,
  (SELECT max(t.id) FROM trial t
    WHERE t.run_id = a.run_id AND t.implementation_id = a.implementation_id AND t.config_hash = a.config_hash
      AND t.config_key = a.config_key AND +t.status = 'ok')
FROM final a
JOIN implementation i ON i.id = a.implementation_id
JOIN final b ON b.run_id = a.run_id AND b.implementation_id = a.implementation_id AND b.config_key = :other
WHERE a.run_id = :run_id AND i.name = :implementation AND a.config_key = :config_key
  AND a.median_ns IS NOT NULL AND a.ratio > 0 AND b.ratio > 0
  AND NOT EXISTS (SELECT 1 FROM trial t
    WHERE t.run_id = a.run_id AND t.implementation_id = a.implementation_id AND t.config_hash = a.config_hash
      AND t.config_key = a.config_key
      AND t.status IN ('build_failed', 'load_failed', 'launch_failed', 'crashed', 'timeout', 'wrong', 'impossible'));
