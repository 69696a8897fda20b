"""Databases to make pages of: generated nights and runs, and the same with names that would like to be more than names."""
import json
import os
import sqlite3
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

HOSTILE = ["</script><script>window.pwned=1</script>", "<img src=x onerror=window.pwned=2>", "\"'`$(id)`]]>&amp;<!--",
           "a\n|b\u202edesrever\u2066", "\"onmouseover=\"window.pwned=3", "javascript:window.pwned=4", "n" * 4096]


def _fill(program, path, *arguments):
    subprocess.run([sys.executable, os.path.join(ROOT, "tests", "bench", program), path, *map(str, arguments)], check=True)


def begin(asctune, path):
    """A database that one run has made."""
    subprocess.run([asctune, "run", os.path.join(ROOT, "tests/cli/workloads/axpy.json"), "--device", "cpu", "--budget", "1", "--db", path],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


PROBLEMS = (("gemm", "odd", "square-1024"), ("sdpa", "odd-causal", "bert-384"), ("softmax", "odd", "bert-384"),
            ("rms_norm", "odd", "llama-7b-512"))


def night(asctune, path):
    """A real night of the CPU's problems."""
    for workload, *problems in PROBLEMS:
        subprocess.run([asctune, "run", os.path.join(ROOT, "workloads", workload + ".json"), "--device", "cpu", "--budget", "16", "--db", path] +
                       [word for name in problems for word in ("-p", name)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def broken(asctune, path):
    """A first run, in which most implementations do what they must not."""
    subprocess.run([asctune, "run", os.path.join(ROOT, "tests/cli/workloads/faults.json"), "--device", "cpu", "-p", "small", "--budget", "12", "--db", path],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def year(asctune, path):
    begin(asctune, path)
    _fill("nights.py", path, 365, 500)


def nights(asctune, path):
    begin(asctune, path)
    _fill("nights.py", path, 60, 12)


def runs(asctune, path, trials, count):
    begin(asctune, path)
    _fill("report_trials.py", path, trials, count)


def move(path, model, factor):
    """The same as if measured on another device, where all takes `factor` of the time."""
    db = sqlite3.connect(path)
    db.execute("UPDATE device SET model = ?1, fingerprint = 'moved' || id, machine = NULL", (model,))
    for table in ("trial", "final"):
        names = ("min_ns", "q1_ns", "median_ns", "q3_ns", "max_ns", "low_ns", "high_ns")
        db.execute("UPDATE %s SET %s" % (table, ", ".join("%s = %s * ?1" % (n, n) for n in names)), (factor,))
    db.commit()
    db.close()


LEVELS = (("dram", 1, 1, None), ("l2", 1.4, 1.8, 1.2), ("l1", 3, 5.5, 8.4))
UNITS = dict(issue_pct=22.1, tensor_pct=0, fma_pct=9.4, alu_pct=18.2, xu_pct=14, lsu_pct=31)
STALLS = dict(long_scoreboard=62, wait=11, barrier=6, mio_throttle=4, short_scoreboard=3, not_selected=2.5, math_pipe_throttle=1, selected=8)
LOOP = dict(f32=48, integer=24, special=16, **{"global": 8}, control=4, shared=3, convert=2, warp=1)


def figures(ns, worse, need, peak):
    """Invented figures of a launch that takes `ns`, as a GPU has them: `worse` times as much as the `need` goes through DRAM."""
    yield from (("launch", "time_ns", "ns", ns), ("launch", "hot_ns", "ns", ns / 1.02), ("problem", "need_bytes", "B", need))
    for name, amount, faster, hit in LEVELS:
        amount *= need * (worse if name == "dram" else 1)
        yield from (("cupti", name + "_bytes", "B", amount), ("cupti", name + "_rate", "B/s", amount / ns * 1e9), ("device", "peak_" + name, "B/s", peak * faster))
        if hit is not None:
            yield "cupti", name + "_hit_pct", "%", hit
    yield from (("cupti", name, "%", value / worse) for name, value in UNITS.items())
    yield from (("cupti", "stall_%s_pct" % name, "%", value / worse ** (name != "long_scoreboard")) for name, value in STALLS.items())
    yield from (("cupti", "warps", "1", 48 / worse), ("cupti", "warps_limit", "1", 64), ("cupti", "uneven", "1", 1.02), ("code", "code_registers", "1", 40))
    yield from (("code", "loop_" + name, "1", value * worse) for name, value in LOOP.items())
    yield "code", "loop_instructions", "1", sum(LOOP.values()) * worse


def profile(path):
    """Profiles of each finals' winner, of the default and of two more finalists, in place of what the runs found out."""
    db = sqlite3.connect(path)
    db.executescript("DELETE FROM reading; DELETE FROM profile")
    rows = db.execute("""SELECT run_id, implementation_id, config_key, median_ns, ratio, bytes, rate FROM (SELECT f.*, p.bytes, k.rate,
            row_number() OVER (PARTITION BY run_id ORDER BY winner DESC, EXISTS (SELECT 1 FROM trial t WHERE t.run_id = f.run_id AND is_default
                AND t.implementation_id = f.implementation_id AND t.config_key = f.config_key) DESC, ratio) AS place
        FROM final f JOIN run r ON r.id = f.run_id JOIN problem p ON p.id = r.problem_id
        JOIN peak k ON k.device_id = r.device_id AND k.unit = 'B/s' AND k.type = '') WHERE place <= 4""")
    for run, implementation, key, ns, ratio, need, peak in rows.fetchall():
        label = ("memory", "%.0f %% of the %.1f GB/s that this GPU moves" % (100 * need / ns * 1e9 / peak, peak / 1e9), ns * peak / need / 1e9) if ratio < 1.2 else ("latency", "issue 11 %, long_scoreboard leads", None)
        new = db.execute("INSERT INTO profile(run_id, implementation_id, config_key, label, basis, sentence, left_ratio, metric_set, caches, clock_mhz,"
                         " passes, launches, spent_ns) VALUES(?, ?, ?, ?, 'counters', ?, ?, 'default', 'flushed', 1980, 7, 21, 170000000)",
                         (run, implementation, key, *label)).lastrowid
        for probe, name, unit, value in figures(ns, max(ratio, 1), need, peak):
            db.execute("INSERT OR IGNORE INTO metric_name(probe, name, unit) VALUES(?, ?, ?)", (probe, name, unit))
            db.execute("INSERT INTO reading SELECT ?, 0, id, ?, NULL FROM metric_name WHERE (probe, name, unit) = (?, ?, ?)", (new, value, probe, name, unit))
    db.commit()
    db.close()


def make_hostile(path):
    """Every name in the database, each another one of the list."""
    db = sqlite3.connect(path)
    db.execute("UPDATE device SET model = ?1 || id, driver = ?2, arch = ?3", HOSTILE[:3])
    db.execute("UPDATE workload SET name = ?1 || id, operator = ?2", HOSTILE[:2])
    db.execute("UPDATE problem SET name = CASE id % 2 WHEN 0 THEN ?1 || id ELSE ?2 || id END", HOSTILE[4:6])
    db.execute("UPDATE implementation SET name = CASE id % 2 WHEN 0 THEN ?1 || id ELSE ?2 || id END", (HOSTILE[0], HOSTILE[6]))
    db.execute("UPDATE trial SET log = ?1, reason = ?2 WHERE id % 5 = 0", HOSTILE[:2])
    for (i, text) in db.execute("SELECT id, config_json FROM trial").fetchall():
        names = {HOSTILE[n % len(HOSTILE)] + k: v for n, (k, v) in enumerate(json.loads(text).items())}
        db.execute("UPDATE trial SET config_json = ? WHERE id = ?", (json.dumps(names), i))
    db.execute("UPDATE profile SET sentence = ?1, failure = ?2", HOSTILE[:2])
    db.execute("UPDATE metric_name SET name = substr('stall_' || ?1, 1, 30) || id || '_pct' WHERE id % 3 = 0", HOSTILE[:1])
    db.execute("UPDATE reading SET value = NULL, reason = ?1 WHERE name_id % 4 = 0", HOSTILE[1:2])
    for table in ("trial", "final", "profile"):
        db.execute("UPDATE %s SET config_key = ? || config_key" % table, HOSTILE[2:3])
    db.commit()
    db.close()


def first_night(path):
    """Date of the oldest run."""
    db = sqlite3.connect(path)
    date = db.execute("SELECT date(min(started_ms) / 1000, 'unixepoch') FROM run").fetchone()[0]
    db.close()
    return date


def report(asctune, path, page, search=None, words=()):
    """The page; `search`: another PATH, such as one without gnuplot; `words`: further options."""
    environment = dict(os.environ, PATH=search) if search else None
    subprocess.run([asctune, "report", "--db", path, "-o", page, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
