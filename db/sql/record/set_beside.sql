-- Gives the finals of a run less weight than those of run :answer_id. No weight (NULL): no question asks these finals.
-- One below that of unsure finals is none.
UPDATE run SET decided = nullif(min(
  coalesce(decided, 0),
  coalesce((SELECT o.decided FROM run o WHERE o.id = :answer_id), 1) - 1), 0)
WHERE id = :run_id;
