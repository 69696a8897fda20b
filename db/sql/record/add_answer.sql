-- One answer to what is best; final_run_id 0: no finals were held.
INSERT INTO answer(device_id, problem_id, cache_policy, simulated, own, implementation_id, failed, trial_id,
  final_run_id, sure, noise_pct, n_ties, ties_json, default_ns, vs_default, default_key, baselines_json,
  trials, ok_trials, newest)
VALUES(:device_id, :problem_id, :cache_policy, :simulated, :own, :implementation_id, :failed, :trial_id,
  nullif(:final_run_id, 0), :sure, :noise_pct, :n_ties, :ties_json, :default_ns, :vs_default, :default_key,
  :baselines_json, :trials, :ok_trials, :newest);
