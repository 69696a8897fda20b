-- Number of samples and times in ns of the trial :trial_id in the finals of its run.
SELECT f.n_samples, f.min_ns, f.q1_ns, f.median_ns, f.q3_ns, f.max_ns, f.low_ns, f.high_ns
FROM final f
WHERE f.run_id = :run_id AND f.config_key = :config_key
  AND f.implementation_id = (SELECT implementation_id FROM trial WHERE id = :trial_id);
