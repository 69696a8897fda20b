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
    for table in ("trial", "final"):
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
