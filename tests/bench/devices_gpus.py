"""Two devices of a host beside one of them: the part of tests/bench/devices that needs two GPUs. Both sides try the same configurations, drawn at random."""
import json
import os
import statistics
import subprocess
import time

import tuning
from library_calls_workers import large_problem

OPERATORS = ("add", "add_rms_norm", "cast", "cat", "geglu", "mul", "rms_norm", "silu_and_mul", "softmax", "swiglu")
ONE = "softmax"
SUFFIX = {"cuda": ".cu", "cpu": ".c"}


def prepare(name, device, folder):
    """The workload with one large problem, and the kernels of our own for it."""
    workload = json.loads((tuning.WORKLOADS / f"{name}.json").read_text())
    own = [i for i in workload["implementations"] if device in i.get("devices", [device]) and str(i.get("source", "")).endswith(SUFFIX[device])]
    path = tuning.narrow(tuning.WORKLOADS / f"{name}.json", folder, {i["name"]: "1 == 1" for i in own})
    narrowed = json.loads(path.read_text())
    narrowed["problems"] = [p for p in narrowed["problems"] if p["name"] == large_problem(workload, device)]
    path.write_text(json.dumps(narrowed))
    return path


def tune(asctune, path, devices, folder, trials):
    """Wall time in seconds, and the summaries by workload."""
    (folder / "run.db").unlink(missing_ok=True)
    command = [asctune, "run", path, "--device", devices, "--strategy", "random", "--budget", str(trials), "--no-history", "--json", "--db", folder / "run.db"]
    start = time.perf_counter()
    done = subprocess.run(list(map(str, command)), env=dict(os.environ, ASCTUNE_CACHE_DIR=str(folder / "cache")), capture_output=True, text=True)
    wall_s = time.perf_counter() - start
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = {line["workload"]: line for line in lines if line["type"] == "summary" and line.get("best")}
    if done.returncode or not found:
        tuning.give_up(f"{' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr.strip()[-1000:]}")
    return wall_s, found


def answer(summary):
    return summary["best"]["implementation"], summary["best"]["config"]


def gpus(asctune, devices, rounds, trials, line):
    """`devices` as --device takes two, "cuda:0,1"; `line` prints a figure beside its limit."""
    kind, _, first = devices.partition(",")[0].partition(":")
    one = f"{kind}:{first}" if first else kind
    with tuning.workplace() as folder:
        many = folder / "ten"
        for name in OPERATORS:
            prepare(name, kind, many)
        for title, path, n, least in (("ten problems", many, trials, 1.9), ("one problem", prepare(ONE, kind, folder / "one"), 10 * trials, 1.7)):
            tune(asctune, path, devices, folder, n)  # fills the caches
            ratios, same, all_ = [], 0, 0
            for _ in range(rounds):
                (one_s, alone), (two_s, both) = (tune(asctune, path, side, folder, n) for side in (one, devices))
                ratios.append(one_s / two_s)
                all_ += len(alone)
                same += sum(answer(alone[w]) in tuning.ties(both[w]) or answer(both[w]) in tuning.ties(alone[w]) for w in alone if w in both)
                print(f"  {title}: {one_s:.1f} s on one, {two_s:.1f} s on two", flush=True)
            line(f"{title}: times sooner on two devices", statistics.median(ratios), least)
            line(f"{title}: answers that tie, of {all_}", same, all_)
