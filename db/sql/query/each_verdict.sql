-- Members of struct db_verdict, in the order in which they were made.
SELECT x.implementation, x.figure, v.kind, v.note, v.run_id, v.made_ms, r.started_ms, v.ratio
FROM verdict v
JOIN series x ON x.id = v.series_id
JOIN run r ON r.id = v.run_id
ORDER BY v.made_ms, v.id;
