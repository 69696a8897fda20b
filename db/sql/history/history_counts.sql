-- Trials of runs before losers were removed.
SELECT run_id, implementation_id, status, trials FROM run_tried;
