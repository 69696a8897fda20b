-- Profiles that the run :run_id has made, in the order in which it did; columns of load_profile behind the names.
SELECT i.name, p.config_key, p.id, p.label, p.basis, p.sentence, p.left_ratio, p.metric_set, p.caches, p.clock_mhz, p.passes,
  p.launches, p.spent_ns, p.failure
FROM profile p JOIN implementation i ON i.id = p.implementation_id
WHERE p.run_id = :run_id
ORDER BY p.id;
