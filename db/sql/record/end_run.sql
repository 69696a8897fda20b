-- The end of a run, no earlier than the newest row (add_run).
UPDATE run SET
  outcome = :outcome,
  ended_ms = iif(imported, :now_ms, max(:now_ms,
    coalesce((SELECT started_ms FROM run WHERE NOT imported ORDER BY id DESC LIMIT 1), 0),
    coalesce((SELECT y.recorded_ms FROM trial y JOIN run x ON x.id = y.run_id
      WHERE y.id = (SELECT max(id) FROM trial) AND NOT x.imported), 0)))
WHERE id = :run_id;
