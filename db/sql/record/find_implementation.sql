-- The implementation with a name, key and index.
SELECT id FROM implementation WHERE name = :name AND key = :key AND idx = :index;
