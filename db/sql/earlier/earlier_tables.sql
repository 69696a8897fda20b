-- Configurations of the table in the file :file of the reader :reader, as it was imported: a run for each row, whose
-- problem is named "FILE ROW" (reports/exchange/reader_import.c), in the order of the file. Of several imports of a row
-- the newest: SQLite takes the other columns from the row that has the max().
SELECT substr(p.name, length(:file) + 2) AS key, t.config_json, max(t.id), min(t.id) AS place
FROM workload w
JOIN problem p ON p.workload_id = w.id
JOIN run r ON r.problem_id = p.id
JOIN trial t ON t.run_id = r.id
WHERE w.name = :reader AND r.imported AND substr(p.name, 1, length(:file) + 1) = :file || ' '
GROUP BY p.id
ORDER BY place;
