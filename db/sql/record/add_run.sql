-- A new run. It is recorded as later than the newest row that was not imported, by identifiers, which run on: else
-- rows from before the clock was turned back would count for more than later ones. Rows of imports are dated by the
-- clock alone: behind many of them that row is found slowly.
INSERT INTO run(device_id, problem_id, workload_hash, version, strategy, policy_json, budget, cache_policy, baseline,
  seed, simulated, imported, started_ms, workload_file, history_json, source_commit, source_clean, uid)
VALUES(:device_id, :problem_id, :workload_hash, :version, :strategy, :policy_json, :budget, :cache_policy, :baseline,
  :seed, :simulated, :imported,
  iif(:imported, :now_ms, max(:now_ms, 1 + max(
    coalesce((SELECT started_ms FROM run WHERE NOT imported ORDER BY id DESC LIMIT 1), 0),
    coalesce((SELECT y.recorded_ms FROM trial y JOIN run x ON x.id = y.run_id
      WHERE y.id = (SELECT max(id) FROM trial) AND NOT x.imported), 0)))),
  :workload_file, :history_json, :source_commit, iif(:source_commit IS NULL, NULL, :source_clean),
  coalesce(:uid, randomblob(16)))
RETURNING id;
