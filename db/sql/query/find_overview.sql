-- Members of struct db_overview.
SELECT r.n, t.n, t.ok, r.imported, r.standin, r.first, r.last
FROM (SELECT count(*) FILTER (WHERE NOT simulated) AS n,
    count(*) FILTER (WHERE imported) AS imported,
    count(*) FILTER (WHERE simulated AND NOT imported) AS standin,
    min(started_ms) FILTER (WHERE NOT simulated) AS first,
    max(started_ms) FILTER (WHERE NOT simulated) AS last
  FROM run) r,
  (SELECT count(*) AS n, sum(status = 'ok') AS ok FROM trial
    WHERE run_id NOT IN (SELECT id FROM run WHERE simulated)) t;
