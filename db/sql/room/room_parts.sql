-- Room of each table and index of the file, the largest first: name, of a table (else an index), bytes of its pages, those of
-- them that nothing is in. dbstat is a virtual table that SQLite may lack.
SELECT s.name, coalesce(m.type, 'table') = 'table', s.pgsize, s.unused
FROM dbstat s LEFT JOIN sqlite_schema m ON m.name = s.name
WHERE s.aggregate = 1
ORDER BY s.pgsize DESC, s.name;
