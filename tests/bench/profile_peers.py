"""What profile_ncu and profile_cost share: our counters out of a database, ncu around a launcher of the same cubins."""
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time

import tuning

BENCH = tuning.ROOT / "tests/bench/workloads"


def cannot_compare(reason):
    """Ends the benchmark: there is nothing here to compare with."""
    print(f"nothing to compare with: {reason}", file=sys.stderr)
    sys.exit(3)


def need_ncu():
    """Path of ncu."""
    found = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin:/opt/nvidia/nsight-compute")
    return found or cannot_compare("no ncu in PATH nor in /usr/local/cuda/bin")


class Place:
    """asctune, the launcher beside it, and a folder with a cache of artifacts."""

    def __init__(self, folder):
        self.asctune = tuning.program("profile_launch")
        self.launcher = self.asctune.parent / "tests/bench/profile_launch"
        self.folder = folder
        self.env = dict(os.environ, ASCTUNE_CACHE_DIR=str(folder / "cache"))
        listed = subprocess.run([self.asctune, "list", "devices"], env=self.env, capture_output=True, text=True).stdout.splitlines()
        if not any(x.split()[:2] == ["cuda", "yes"] or x.startswith("cuda:0") for x in listed):
            cannot_compare("no NVIDIA GPU that is usable")

    def run(self, *args, may_fail=False):
        """Output of asctune with these arguments."""
        done = subprocess.run([self.asctune, *map(str, args)], env=self.env, capture_output=True, text=True)
        if done.returncode and not may_fail:
            tuning.give_up(f"asctune {' '.join(map(str, args))}: exit status {done.returncode}: {done.stderr.strip()[-1500:]}")
        return done.stdout

    def plan(self, metric_set):
        """(passes, {metric: (unit, counter)}) of the set on this GPU's chip."""
        lines = [json.loads(x) for x in self.run("profile", "--plan", "--set", metric_set, "--json").splitlines()]
        line = next(x for x in lines if x["probe"] == "cupti")
        return line["passes"], {m["name"]: (m["unit"], m["counter"]) for m in line["metrics"] if m["counter"]}

    def build(self, workload, *options):
        """The files of JSON that name cubins and launches."""
        out = self.folder / f"built-{len(list(self.folder.iterdir()))}"
        self.run("build", BENCH / workload, "-D", "cuda", "-o", out, *options)
        return sorted(out.glob("*.json"))


def readings(db):
    """For each profile of a database, in order: its passes, seconds, and {metric: value} of the whole launch by CUPTI."""
    with sqlite3.connect(db) as connection:
        rows = connection.execute("SELECT id, passes, spent_ns, failure FROM profile ORDER BY id").fetchall()
        found = []
        for number, passes, spent_ns, failure in rows:
            if failure:
                tuning.give_up(f"a profile failed: {failure}")
            each = connection.execute("SELECT n.name, r.value, r.reason FROM reading r JOIN metric_name n ON n.id = r.name_id "
                                      "WHERE r.profile_id = ? AND r.call = 0 AND n.probe = 'cupti'", (number,)).fetchall()
            reasons = {reason for _, value, reason in each if value is None}
            if not each or all(value is None for _, value, _ in each):
                cannot_compare(f"our own counters: {'; '.join(map(str, reasons)) or 'none were read'}")
            found.append((passes, spent_ns * 1e-9, {name: value for name, value, _ in each if value is not None}))
    return found


def ncu(program, counters, launcher, times, files):
    """(seconds of the process, for each launch in order {counter: value in base units}) by ncu."""
    command = [program, "--clock-control", "none", "--cache-control", "all", "--replay-mode", "kernel", "--csv", "--page", "raw", "--print-units", "base",
               "--metrics", ",".join(counters), str(launcher), str(times), *map(str, files)]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    spent = time.perf_counter() - start
    said = done.stdout + done.stderr
    if "ERR_NVGPUCTRPERM" in said:
        cannot_compare("ncu is not permitted to read counters (ERR_NVGPUCTRPERM)")
    if done.returncode:
        cannot_compare(f"ncu: exit status {done.returncode}: {said.strip()[-1500:]}")
    # The program's and ncu's own lines come before the head of the table; its second line has the units.
    lines = [x for x in done.stdout.splitlines() if x.startswith('"')]
    rows = list(csv.reader(lines))
    head, launches = rows[0], rows[2:]
    missing = [x for x in counters if x not in head]
    if missing:
        cannot_compare(f"ncu does not tell {', '.join(missing)}")
    number = lambda text: float(text.replace(",", "")) if text and text not in ("n/a", "nan") else float("nan")
    return spent, [{x: number(row[head.index(x)]) for x in counters} for row in launches]
