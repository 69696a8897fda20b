-- The end of a share, no earlier than the newest row.
UPDATE share SET outcome = :outcome, ended_ms = max(:now_ms, (SELECT ms FROM newest)) WHERE id = :share_id;
