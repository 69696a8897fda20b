-- Name of an implementation.
SELECT name FROM implementation WHERE id = :id;
