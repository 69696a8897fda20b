-- The run with a uid.
SELECT id FROM run WHERE uid = :uid;
