-- Says how many trials each of the runs :ids has, a JSON array, before the first of them is removed.
INSERT INTO run_tried
SELECT t.run_id, t.implementation_id, t.status, count(*)
FROM json_each(:ids) j
CROSS JOIN trial t ON t.run_id = j.value
WHERE NOT EXISTS (SELECT 1 FROM run_tried n WHERE n.run_id = j.value)
GROUP BY t.run_id, t.implementation_id, t.status;
