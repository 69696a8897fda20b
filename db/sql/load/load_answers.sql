-- Kept answers of the workload :workload, or (NULL) of all.
SELECT a.device_id, a.problem_id, a.cache_policy, a.simulated, a.own, a.implementation_id, a.failed, a.trial_id,
  coalesce(a.final_run_id, 0), a.sure, a.noise_pct, a.n_ties, a.ties_json, a.default_ns, a.vs_default, a.default_key,
  a.baselines_json, a.trials, a.ok_trials, a.newest,
  w.name, p.name, p.key, v.kind, v.model, v.fingerprint, x.machine, i.name
FROM answer a
LEFT JOIN device v ON v.id = a.device_id
LEFT JOIN machines x ON x.device_id = a.device_id
LEFT JOIN problem p ON p.id = a.problem_id
LEFT JOIN workload w ON w.id = p.workload_id
LEFT JOIN implementation i ON i.id = a.implementation_id
WHERE :workload IS NULL OR w.name = :workload;
