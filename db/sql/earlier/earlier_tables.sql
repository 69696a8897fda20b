-- Configurations of the table in the file :file of the reader :reader, as it was imported: a run for each row, whose
-- problem is named "FILE ROW" (reports/exchange/reader_import.c), in the order of the file. Of several versions of the
-- file the one that was recorded last: all its runs have the same policy, which names the first of them. With :key the
-- row of that key alone, of a library that has a file for each key.
WITH rows AS (
  SELECT substr(p.name, length(:file) + 2) AS key, t.config_json, t.id, r.policy_json, p.id AS problem
  FROM workload w
  JOIN problem p ON p.workload_id = w.id
  JOIN run r ON r.problem_id = p.id
  JOIN trial t ON t.run_id = r.id
  WHERE w.name = :reader AND r.imported AND substr(p.name, 1, length(:file) + 1) = :file || ' '
    AND (:key IS NULL OR p.name = :file || ' ' || :key)
)
-- SQLite takes the other columns from the row that has the max().
SELECT key, config_json, max(id), min(id) AS place
FROM rows
WHERE policy_json IS (SELECT policy_json FROM rows ORDER BY id DESC LIMIT 1)
GROUP BY problem
ORDER BY place;
