-- The profile of a configuration in a run: a later one replaces it.
INSERT INTO profile(run_id, implementation_id, config_key, label, basis, sentence, left_ratio, metric_set, caches, clock_mhz,
  passes, launches, spent_ns, failure)
VALUES(:run_id, :implementation_id, :config_key, :label, :basis, :sentence, :left_ratio, :metric_set, :caches, :clock_mhz,
  :passes, :launches, :spent_ns, :failure)
ON CONFLICT(run_id, implementation_id, config_key) DO UPDATE SET label = excluded.label, basis = excluded.basis,
  sentence = excluded.sentence, left_ratio = excluded.left_ratio, metric_set = excluded.metric_set, caches = excluded.caches,
  clock_mhz = excluded.clock_mhz, passes = excluded.passes, launches = excluded.launches, spent_ns = excluded.spent_ns,
  failure = excluded.failure
RETURNING id;
