-- Members of struct db_run_state: the newest search of a problem that ended, else the newest; none of a part of its space. Configurations count
-- once each: one that failed after it had passed has a trial more, which is the one that counts.
SELECT r.id, coalesce(r.outcome, ''),
  (SELECT count(*) FROM (SELECT status, max(id) FROM trial WHERE run_id = r.id
    GROUP BY implementation_id, config_key)),
  (SELECT count(*) FROM (SELECT status, max(id) FROM trial WHERE run_id = r.id
    GROUP BY implementation_id, config_key) WHERE status = 'ok'),
  iif(json_valid(r.history_json), json_extract(r.history_json, '$.results'), 0)
FROM run r
JOIN device v ON v.id = r.device_id
JOIN problem p ON p.id = r.problem_id
JOIN workload w ON w.id = p.workload_id
WHERE v.kind = :device_kind AND w.name = :workload AND p.name = :problem AND r.simulated = :simulated
  AND NOT r.imported
  AND is_search(r.strategy)
  AND NOT EXISTS (SELECT 1 FROM share s WHERE s.id = r.share_id AND s.way = 'configurations')
ORDER BY r.outcome IS 'done' DESC, r.started_ms DESC, r.id DESC LIMIT 1;
