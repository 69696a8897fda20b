-- How sure the finals of a run were, and their weight (0: none).
UPDATE run SET sure = :sure, noise_pct = :noise_pct, decided = nullif(:decided, 0) WHERE id = :run_id;
