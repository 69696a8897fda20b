-- Columns of a table of the attached file: name, place in the primary key, table that it refers to.
SELECT c.name, c.pk, f."table"
FROM pragma_table_info(:table, 'there') c
LEFT JOIN pragma_foreign_key_list(:table, 'there') f ON f."from" = c.name
ORDER BY c.cid;
