-- A new run, later than the newest row.
INSERT INTO run(device_id, problem_id, workload_hash, version, strategy, policy_json, budget, cache_policy, baseline,
  seed, simulated, imported, started_ms, workload_file, history_json, source_commit, source_clean, share_id, uid)
VALUES(:device_id, :problem_id, :workload_hash, :version, :strategy, :policy_json, :budget, :cache_policy, :baseline,
  :seed, :simulated, :imported,
  iif(:imported, :now_ms, max(:now_ms, 1 + (SELECT ms FROM newest))),
  :workload_file, :history_json, :source_commit, iif(:source_commit IS NULL, NULL, :source_clean),
  nullif(:share_id, 0), coalesce(:uid, randomblob(16)))
RETURNING id;
