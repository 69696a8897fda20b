-- Says how many trials run :run_id has, before the first of them is removed.
INSERT INTO run_tried
SELECT run_id, implementation_id, status, count(*)
FROM trial
WHERE run_id = :run_id AND NOT EXISTS (SELECT 1 FROM run_tried WHERE run_id = :run_id)
GROUP BY implementation_id, status;
