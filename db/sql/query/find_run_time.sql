-- Members of struct db_run_time: how long the newest whole search of a problem took on a device of the model, and the
-- device of the newest search where that is not whole. What was imported is left out.
WITH found AS (
  SELECT r.id, r.started_ms, r.ended_ms, r.outcome, v.fingerprint
  FROM run r
  JOIN device v ON v.id = r.device_id
  JOIN problem p ON p.id = r.problem_id
  JOIN workload w ON w.id = p.workload_id
  WHERE v.kind = :device_kind AND v.model = :device_model AND w.name = :workload AND p.name = :problem
    AND NOT r.imported AND is_search(r.strategy))
SELECT
  (SELECT ended_ms - started_ms FROM found WHERE outcome IS 'done' ORDER BY started_ms DESC, id DESC LIMIT 1),
  (SELECT iif(outcome IS 'done', NULL, fingerprint) FROM found ORDER BY started_ms DESC, id DESC LIMIT 1);
