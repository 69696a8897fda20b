-- Members of struct db_overview.
SELECT r.n, t.n + x.n, t.ok + x.ok, r.imported, r.standin, r.first, r.last
FROM (SELECT count(*) FILTER (WHERE NOT simulated) AS n,
    count(*) FILTER (WHERE imported) AS imported,
    count(*) FILTER (WHERE simulated AND NOT imported) AS standin,
    min(started_ms) FILTER (WHERE NOT simulated) AS first,
    max(started_ms) FILTER (WHERE NOT simulated) AS last
  FROM run) r,
  (SELECT count(*) AS n, coalesce(sum(status = 'ok'), 0) AS ok FROM trial
    WHERE run_id NOT IN (SELECT id FROM run WHERE simulated UNION ALL SELECT run_id FROM run_tried)) t,
  -- Runs whose losers were removed.
  (SELECT coalesce(sum(trials), 0) AS n, coalesce(sum(trials) FILTER (WHERE status = 'ok'), 0) AS ok FROM run_tried
    WHERE run_id NOT IN (SELECT id FROM run WHERE simulated)) x;
