"""Kernels in a plain worker and in a Python with torch: the part of tests/bench/library_calls that a CPU and a GPU have."""
import json
import math
import os
import statistics
import subprocess

import tuning

MEAN, WORST = 0.003, 0.01


def trials(options, folder, device, workload, problem, *words, plain=False):
    """The trial lines of one `asctune run` on the device; of a plain worker where no Python is named."""
    (folder / "run.db").unlink(missing_ok=True)
    python = [] if plain else ["--python", options.python]
    command = [options.asctune, "run", workload, "--problem", problem, "--device", device, "--db", folder / "run.db", "--no-history", "--json", *python, *words]
    environment = {name: value for name, value in os.environ.items() if name != "ASCTUNE_PYTHON"}
    done = subprocess.run(list(map(str, command)), env=dict(environment, ASCTUNE_CACHE_DIR=str(folder / "cache")), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        tuning.give_up(f"{' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr.strip()[-1500:]}")
    return [line for line in map(json.loads, done.stdout.splitlines()) if line["type"] in ("trial", "summary")]


def median_ns(lines, implementation):
    """Of one implementation's samples."""
    found = [line for line in lines if line["type"] == "trial" and line["implementation"] == implementation and line.get("samples_ns")]
    if not found:
        tuning.give_up(f"{implementation} was not timed: {[(x.get('status'), x.get('reason')) for x in lines if x.get('implementation') == implementation]}")
    return statistics.median(found[-1]["samples_ns"])


def large_problem(workload, device):
    """The problem of the device's with the most operations that names no list of sizes."""
    return next(p["name"] for p in reversed(workload["problems"]) if device in p.get("devices", [device]) and not any(isinstance(x, list) for x in p["dims"].values()))


def compare_workers(options, limits, device, landed):
    """The best kernels of `landed`, {workload: problem}, in a plain worker and, by turns, in a Python with torch."""
    ratios = {}
    with tuning.workplace() as folder:
        for name in options.only or landed:
            path = tuning.WORKLOADS / f"{name}.json"
            workload = json.loads(path.read_text())
            problem = landed.get(name) or large_problem(workload, device)
            kernels = [i["name"] for i in workload["implementations"] if device in i.get("devices", [device]) and i.get("builder", "vendor") not in ("python", "vendor") and "calls" not in i]
            tuned = trials(options, folder, device, tuning.narrow(path, folder / f"{name}-tuned", dict.fromkeys(kernels, "1 == 1")), problem, "--budget", options.budget)
            best = next(line["best"] for line in tuned if line["type"] == "summary")
            one = {best["implementation"]: " and ".join(f"{key} == {value!r}" for key, value in best["config"].items())}
            plain, mixed = (tuning.narrow(path, folder / f"{name}-{side}", rows) for side, rows in (("plain", one), ("mixed", {**one, "eager": "1 == 1"})))
            pairs = [[median_ns(trials(options, folder, device, side, problem, "--budget", 4, plain=side is plain), best["implementation"]) for side in (plain, mixed)]
                     for _ in range(options.rounds)]
            ratios[name] = statistics.median(with_torch / without for without, with_torch in pairs)
            limits.most(f"{name}: |1 - time in a Python with torch / in a plain worker|, {ratios[name]:.5f}", abs(1 - ratios[name]), WORST)
    mean = math.exp(statistics.mean(map(math.log, ratios.values())))
    limits.most("geometric mean: |1 - time in a Python with torch / in a plain worker|", abs(1 - mean), MEAN)
