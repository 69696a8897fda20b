-- What a history is known by: its runs, and whether they have ended, in an order that no merge changes.
SELECT uid, coalesce(ended_ms, 0) FROM run ORDER BY uid;
