-- Members of struct db_passed: the trials of the run :run_id that passed. The winner of its finals may have been
-- tried in an earlier run only.
SELECT t.id, t.implementation_id, i.name, t.config_key, t.median_ns, coalesce(f.winner, -1), f.ratio, f.median_ns
FROM run r
JOIN run o ON o.device_id = r.device_id AND o.problem_id = r.problem_id AND o.cache_policy IS r.cache_policy
JOIN trial t ON t.run_id = o.id AND t.status = 'ok'
JOIN implementation i ON i.id = t.implementation_id
LEFT JOIN final f ON f.run_id = r.id AND f.config_key = t.config_key AND f.implementation_id = t.implementation_id
WHERE r.id = :run_id AND (o.id = r.id OR (o.id < r.id AND f.winner));
