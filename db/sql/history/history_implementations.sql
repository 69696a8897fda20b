-- All implementations: a name has a row for each content of source and toolchain.
SELECT id, name, key, toolchain FROM implementation ORDER BY id;
