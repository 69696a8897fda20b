-- Columns of a table of the attached file: name, place in the primary key, table that it refers to by the schema here, whether the
-- table here has it.
SELECT c.name, c.pk, f."table", c.name COLLATE NOCASE IN (SELECT name FROM pragma_table_info(:table, 'main'))
FROM pragma_table_info(:table, 'there') c
LEFT JOIN pragma_foreign_key_list(:table, 'main') f ON f."from" = c.name COLLATE NOCASE
ORDER BY c.cid;
