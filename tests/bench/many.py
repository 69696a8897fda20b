# many.py FILE.db PROBLEMS NIGHTS CONFIGURATIONS: generated runs in place of those of a database that has one, each with all configurations, of which one in
# fifty is wrong, and ten finalists. Rows are made by SQLite itself.
import sqlite3, sys
path, problems, nights, configurations = sys.argv[1], *map(int, sys.argv[2:])
db = sqlite3.connect(path)
db.execute("PRAGMA synchronous = OFF")
(device, workload), (i,) = db.execute("SELECT device_id, workload_id FROM run JOIN problem p ON p.id = problem_id").fetchone(), \
    db.execute("SELECT id FROM implementation").fetchone()
for table in ("metric", "final", "trial", "run_implementation", "run"):
    db.execute("DELETE FROM " + table)
db.executemany("INSERT INTO problem(id, workload_id, key, name) VALUES(?, ?, 'k', ?)", [(1000 + p, workload, "p%d" % p) for p in range(problems)])
runs = [(1 + n * problems + p, n * 86400000 + p, 1000 + p) for n in range(nights) for p in range(problems)]
db.executemany("INSERT INTO run(id, device_id, problem_id, seed, simulated, started_ms, cache_policy, version, outcome, sure, decided)"
               " VALUES(?1, %d, ?3, 0, 0, ?2, 'cold', '0', 'done', 'tie', 2)" % device, runs)
db.execute("INSERT INTO run_implementation SELECT id, ? FROM run", (i,))
db.execute("WITH RECURSIVE c(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM c WHERE k + 1 < ?2),"
           " t AS (SELECT r.id, started_ms, k, iif(k % 50 = 49, NULL, 1e5 * (1 + (k * 7919 % 1000) / 1e3 + ((k + r.id) * 104729 % 1009) / 1e5)) AS ns FROM run r, c)"
           " INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns,"
           "  load_ns, verify_ns, measure_ns, launches, n_samples, median_ns, low_ns, high_ns)"
           " SELECT id, ?1, 7919 * k, 'B=' || k, '{}', k = 9, started_ms, iif(ns IS NULL, 'wrong', 'ok'), 'measure', 0, 0, 0, 0, 0, 1, 32, ns, ns * .99, ns * 1.01"
           " FROM t", (i, configurations))
db.execute("INSERT INTO final(run_id, implementation_id, config_hash, config_key, tied, standing, winner, ratio, ratio_low, ratio_high, n_samples, median_ns,"
           "  low_ns, high_ns) SELECT run_id, implementation_id, config_hash, config_key, 1, 'tied', place = 1, ns / least, ns / least * .99, ns / least * 1.01,"
           "  32, ns, ns * .99, ns * 1.01 FROM (SELECT *, median_ns AS ns, min(median_ns) OVER r AS least, row_number() OVER r AS place FROM trial"
           "  WHERE status = 'ok' WINDOW r AS (PARTITION BY run_id ORDER BY median_ns, id)) WHERE place <= 10")
db.commit()
