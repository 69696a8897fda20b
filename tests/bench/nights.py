# nights.py FILE.db NIGHTS SERIES: generated nights in place of the runs of a database that has one: two configurations for each of the series, 1 % noise,
# one of them 5 % slower for the newest three nights, with registers, spilled and shared memory recorded as a GPU's are.
import random, sqlite3, sys
path, nights, series = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(1)
def samples(ns): # 32 equal ones: the first as a zigzag varint, then differences of 0
    bytes_, n = bytearray(), 2 * int(ns)
    while n > 127:
        bytes_.append(n & 127 | 128)
        n >>= 7
    return bytes(bytes_) + bytes([n]) + bytes(31)
db = sqlite3.connect(path)
(device, workload), (i,) = db.execute("SELECT device_id, workload_id FROM run JOIN problem p ON p.id = problem_id").fetchone(), \
    db.execute("SELECT id FROM implementation").fetchone()
for table in ("metric", "final", "trial", "run_implementation", "run"):
    db.execute("DELETE FROM " + table)
names = [db.execute("INSERT INTO metric_name(probe, name, unit) VALUES('kernel', ?, '1') RETURNING id", (n,)).fetchone()[0]
         for n in ("registers", "local_bytes", "shared_bytes")]
trial = 0
for s in range(series):
    db.execute("INSERT INTO problem(id, workload_id, key, name) VALUES(?, ?, 'k', ?)", (1000 + s, workload, "p%d" % s))
    for n in range(nights):
        run = 1 + s * nights + n
        db.execute("INSERT INTO run(id, device_id, problem_id, seed, simulated, started_ms, cache_policy, version, outcome)"
                   " VALUES(?, ?, ?, 0, 0, ?, 'cold', '0', 'done')", (run, device, 1000 + s, n * 86400000))
        db.execute("INSERT INTO run_implementation VALUES(?, ?)", (run, i))
        for c in (1, 2):
            ns = 1e5 * c * (1.05 if s == 7 and n >= nights - 3 else 1) * random.gauss(1, 0.01)
            trial += 1
            db.execute("INSERT INTO trial(id, run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase,"
                       " cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, samples, median_ns)"
                       " VALUES(?, ?, ?, ?, ?, '{}', 0, 0, 'ok', 'measure', 0, 0, 0, 0, 0, 1, 32, ?, ?)", (trial, run, i, c, "B=%d" % c, samples(ns), ns))
            db.executemany("INSERT INTO metric VALUES(?, ?, ?)", [(trial, n, 32 * c) for n in names])
db.commit()
