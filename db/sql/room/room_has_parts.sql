-- A row where this SQLite can say what takes the room.
SELECT 1 FROM pragma_module_list WHERE name = 'dbstat';
