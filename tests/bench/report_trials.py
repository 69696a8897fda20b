# Fills a database that one run has made with generated ones: report_trials.py DATABASE TRIALS RUNS. Used by tests/bench/report_trials.
import json
import math
import random
import sqlite3
import sys
import zlib

path, trials, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(1)
PARAMETERS = {"BLOCK_M": [16, 32, 64, 128, 256], "BLOCK_N": [16, 32, 64, 128, 256], "UNROLL": [1, 2, 4, 8],
              "STAGES": list(range(1, 9)), "LAYOUT": ["row", "column"]}
LOG = "kernel.cu(12): warning #177-D: variable \"x\" was declared but never referenced\n" * 8


def varints(samples):
    out, previous = bytearray(), 0
    for s in samples:
        z = (s - previous) << 1 if s >= previous else (previous - s << 1) - 1
        while z >= 128:
            out.append(z & 127 | 128)
            z >>= 7
        out.append(z)
        previous = s
    return bytes(out)


def time_of(c, implementation):
    best = abs(math.log2(c["BLOCK_M"] / 128)) + abs(math.log2(c["BLOCK_N"] / 64)) + 0.3 * abs(c["STAGES"] - 4)
    return 12e3 * (1.3 if implementation else 1) * math.exp(0.4 * best + 0.05 * math.log2(c["UNROLL"]) + random.gauss(0, 0.05))


def add_run(db, run, problem, device, implementations, n, started):
    db.execute("INSERT INTO run(id, device_id, problem_id, seed, simulated, started_ms, ended_ms, cache_policy, version, outcome, strategy, budget,"
               " baseline, sure, noise_pct, decided) VALUES(?, ?, ?, 0, 0, ?, ?, 'cold', '0', 'done', 'random', 'all', 'plain', 'tie', 1, 2)",
               (run, device, problem, started, started + 60 * n + 9000))
    db.executemany("INSERT INTO run_implementation VALUES(?, ?)", [(run, i) for i in implementations])
    for place, (kind, origin, text, count) in enumerate([("all", None, None, 1600), ("condition", "constraints[0]", "BLOCK_M * BLOCK_N <= 16384", 200),
                                                         ("condition", "memory.ub of X", "BLOCK_M * STAGES <= 9", None), ("valid", None, None, 1000)]):
        db.execute("INSERT INTO run_space VALUES(?, ?, ?, ?, ?, ?, ?)", (run, implementations[0], place, kind, origin, text, count))
    timed = []
    for k in range(n):
        c = {name: random.choice(values) for name, values in PARAMETERS.items()}
        which = k % 2
        ns = time_of(c, which)
        status = random.choices(["ok", "slow", "build_failed", "wrong", "crashed"], [70, 15, 8, 4, 3])[0]
        key = ",".join("%s=%s" % x for x in sorted(c.items()))
        samples = [int(ns * random.gauss(1, 0.01)) for _ in range(32)]
        known = status in ("ok", "slow")
        db.execute("INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, log,"
                   " cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, samples, min_ns, q1_ns, median_ns, q3_ns, max_ns, low_ns,"
                   " high_ns, max_abs, mean_abs, max_rel, not_finite, bad) VALUES(?, ?, ?, ?, ?, ?, ?, ?, 'measure', ?, 0, 90000000, 300000, 2000000,"
                   " 40000000, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1e-6, 1e-7, 1e-5, 0, 0)",
                   (run, implementations[which], zlib.crc32(key.encode()), key, json.dumps(c), k < 2, started + 60 * k, status, LOG if k % 7 == 0 else None, 32 * known,
                    varints(samples) if known else b"", *([ns * x if known else None for x in (.98, .99, 1, 1.01, 1.02, .995, 1.005)])))
        if status == "ok":
            timed.append((ns, implementations[which], key))
    best = []
    for t in sorted(timed):
        if all(t[1:] != b[1:] for b in best):
            best.append(t)
    for place, (ns, implementation, key) in enumerate(best[:10]):
        ratio = ns / best[0][0]
        db.execute("INSERT INTO final(run_id, implementation_id, config_hash, config_key, tied, winner, ratio, ratio_low, ratio_high, n_samples, median_ns,"
                   " low_ns, high_ns, standing) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, 9, ?, ?, ?, ?)",
                   (run, implementation, zlib.crc32(key.encode()), key, place < 3, place == 0, ratio, ratio * .99, ratio * 1.01, ns, ns * .99, ns * 1.01,
                    "tied" if place < 3 else "slower"))


db = sqlite3.connect(path)
(device, workload) = db.execute("SELECT device_id, workload_id FROM run JOIN problem p ON p.id = problem_id").fetchone()
for table in ("metric", "final", "trial", "run_space", "run_implementation", "run"):
    db.execute("DELETE FROM " + table)
db.execute("INSERT INTO device(id, fingerprint, kind, model) VALUES(1000, 'f', 'cuda', 'H200')")
db.execute("INSERT OR REPLACE INTO peak(device_id, unit, type, rate, low, moments, measured_ms)"
           " VALUES(?1, 'FLOP/s', 'f32', 6e13, 6e13, 1, 0), (?1, 'B/s', '', 4e12, 4e12, 1, 0)", (device,))
db.execute("INSERT INTO implementation(id, name, key, idx) VALUES(1000, 'tiled', 'k', 0), (1001, 'plain', 'k', 1)")
share = max(trials // (2 * runs), 1)
for r in range(runs):
    problem = 1000 + r // 2
    db.execute("INSERT OR IGNORE INTO problem(id, workload_id, key, name, flops, bytes) VALUES(?, ?, 'k', ?, 1e7, 1e6)", (problem, workload, "p%d" % problem))
    for before in (0, 1):
        add_run(db, 2 * r + before + 1, problem, 1000 if r % 2 else device, (1000, 1001), share, 1780000000000 + (2 * r + before) * 86400000)
db.commit()
