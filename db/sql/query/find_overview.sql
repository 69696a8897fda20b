-- Members of struct db_overview.
-- Of a million trials few failed: all are counted, and those that did not pass are found by number in the index trial_run,
-- a run and an implementation at a time.
WITH RECURSIVE whole AS MATERIALIZED (
  SELECT id FROM run WHERE NOT simulated AND id NOT IN (SELECT run_id FROM run_tried)),
pair(run_id, implementation_id) AS (
  SELECT id, (SELECT min(t.implementation_id) FROM trial t WHERE t.run_id = w.id) FROM whole w
  UNION ALL SELECT p.run_id, (SELECT min(t.implementation_id) FROM trial t
      WHERE t.run_id = p.run_id AND t.implementation_id > p.implementation_id)
    FROM pair p WHERE p.implementation_id IS NOT NULL)
SELECT r.n, t.n + x.n, t.n - t.failed + x.ok, r.imported, r.standin, r.first, r.last
FROM (SELECT count(*) FILTER (WHERE NOT simulated) AS n,
    count(*) FILTER (WHERE imported) AS imported,
    count(*) FILTER (WHERE simulated AND NOT imported) AS standin,
    min(started_ms) FILTER (WHERE NOT simulated) AS first,
    max(started_ms) FILTER (WHERE NOT simulated) AS last
  FROM run) r,
  (SELECT (SELECT count(*) FROM trial)
      - (SELECT count(*) FROM run o CROSS JOIN trial t ON t.run_id = o.id WHERE o.id NOT IN (SELECT id FROM whole)) AS n,
    (SELECT count(*) FROM pair p CROSS JOIN trial t ON t.run_id = p.run_id AND t.implementation_id = p.implementation_id
      AND t.status < 'ok')
    + (SELECT count(*) FROM pair p CROSS JOIN trial t ON t.run_id = p.run_id AND t.implementation_id = p.implementation_id
      AND t.status > 'ok') AS failed) t,
  -- Runs whose losers were removed.
  (SELECT coalesce(sum(trials), 0) AS n, coalesce(sum(trials) FILTER (WHERE status = 'ok'), 0) AS ok FROM run_tried
    WHERE run_id NOT IN (SELECT id FROM run WHERE simulated)) x;
