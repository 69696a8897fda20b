-- Members of struct db_share_state, the oldest first.
SELECT hex(uid), number, count, way, dealt, problems, all_problems, seed, version, history, started_ms, ended_ms, outcome
FROM share
ORDER BY started_ms, uid;
