# finals.py FILE.db NIGHTS PROBLEMS: generated nights in place of the runs of a database that has one. On each, every problem tries the same 30 configurations,
# ten of them are finalists, one failure in a thousand trials.
import random, sqlite3, sys
path, nights, problems = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(1)
db = sqlite3.connect(path)
(device, workload), (i,) = db.execute("SELECT device_id, workload_id FROM run JOIN problem p ON p.id = problem_id").fetchone(), \
    db.execute("SELECT id FROM implementation").fetchone()
for table in ("metric", "final", "trial", "run_implementation", "run"):
    db.execute("DELETE FROM " + table)
for p in range(problems):
    db.execute("INSERT INTO problem(id, workload_id, key, name) VALUES(?, ?, 'k', ?)", (1000 + p, workload, "p%d" % p))
for n in range(nights):
    for p in range(problems):
        run, started = 1 + n * problems + p, n * 86400000 + p
        db.execute("INSERT INTO run(id, device_id, problem_id, seed, simulated, started_ms, cache_policy, version, outcome, sure, decided)"
                   " VALUES(?, ?, ?, 0, 0, ?, 'cold', '0', 'done', 'tie', 2)", (run, device, 1000 + p, started))
        db.execute("INSERT INTO run_implementation VALUES(?, ?)", (run, i))
        passed = []
        for c in range(30):
            ns, status = 1e5 * (1 + c / 100) * random.gauss(1, 0.01), "wrong" if random.random() < 1e-3 else "ok"
            db.execute("INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached,"
                       " build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, median_ns, low_ns, high_ns)"
                       " VALUES(?1, ?2, ?3, ?4, '{}', ?5, ?6, ?7, 'measure', 0, 0, 0, 0, 0, 1, 32, ?8, ?8 * .99, ?8 * 1.01)",
                       (run, i, 7919 * c, "B=%d" % c, c == 9, started, status, ns if status == "ok" else None))
            if status == "ok":
                passed.append((ns, c))
        for place, (ns, c) in enumerate(sorted(passed)[:10]):
            ratio = ns / min(passed)[0]
            db.execute("INSERT INTO final(run_id, implementation_id, config_hash, config_key, tied, standing, winner, ratio, ratio_low, ratio_high, n_samples,"
                       " median_ns, low_ns, high_ns) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 32, ?11, ?11 * .99, ?11 * 1.01)",
                       (run, i, 7919 * c, "B=%d" % c, ratio < 1.02, "tied" if ratio < 1.02 else "slower", place == 0, ratio, ratio * .99, ratio * 1.01, ns))
db.commit()
