-- The end of a run, no earlier than the newest row.
UPDATE run SET
  outcome = :outcome,
  ended_ms = iif(imported, :now_ms, max(:now_ms, (SELECT ms FROM newest)))
WHERE id = :run_id;
