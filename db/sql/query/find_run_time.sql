-- Members of struct db_run_time: how long the newest whole search of a problem took on a device of the model (NULL: of
-- any of the kind), and the device of the newest search where that is not whole. What was imported is left out. A part of a space is
-- no whole search. Newest by what is the same in merged databases, too.
WITH found AS (
  SELECT r.uid, r.started_ms, r.ended_ms, r.outcome, v.fingerprint, s.way
  FROM run r
  JOIN device v ON v.id = r.device_id
  JOIN problem p ON p.id = r.problem_id
  JOIN workload w ON w.id = p.workload_id
  LEFT JOIN share s ON s.id = r.share_id
  WHERE v.kind = :device_kind AND (:device_model IS NULL OR v.model = :device_model) AND w.name = :workload AND p.name = :problem
    AND NOT r.imported AND is_search(r.strategy))
SELECT
  (SELECT max(ended_ms - started_ms, 1) FROM found WHERE outcome IS 'done' AND way IS NOT 'configurations'
   ORDER BY started_ms DESC, uid DESC LIMIT 1),
  (SELECT iif(outcome IS 'done', NULL, fingerprint) FROM found ORDER BY started_ms DESC, uid DESC LIMIT 1);
