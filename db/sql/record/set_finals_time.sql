-- When the finals of a run began, and how long they took.
UPDATE run SET finals_begin_ns = :begin_ns, finals_ns = :ns WHERE id = :run_id;
