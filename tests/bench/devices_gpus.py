"""Two devices of a host beside one of them: the part of tests/bench/devices that needs two GPUs. Both sides try the same configurations, drawn at random."""
import json
import os
import statistics
import subprocess
import time

import tuning
from library_calls_workers import large_problem

OPERATORS = ("add", "add_rms_norm", "cast", "cat", "geglu", "mul", "rms_norm", "silu_and_mul", "softmax", "swiglu")
ONE, ONE_PROBLEM = "gemm", "square-4k-bf16"  # thousands of configurations; on a CPU the large one
SUFFIX = {"cuda": ".cu", "cpu": ".c"}


def prepare(name, device, folder, problem=None):
    """The workload with one problem, else a large one, and the kernels of our own for it."""
    workload = json.loads((tuning.WORKLOADS / f"{name}.json").read_text())
    own = [i for i in workload["implementations"] if device in i.get("devices", [device]) and str(i.get("source", "")).endswith(SUFFIX[device])]
    path = tuning.narrow(tuning.WORKLOADS / f"{name}.json", folder, {i["name"]: "1 == 1" for i in own})
    narrowed = json.loads(path.read_text())
    narrowed["problems"] = [p for p in narrowed["problems"] if p["name"] == (problem or large_problem(workload, device))]
    path.write_text(json.dumps(narrowed))
    return path


class Run:
    """Figures of an `asctune run`: wall time, that from the first trial to the last, in seconds, and the summaries by workload."""

    def __init__(self, asctune, path, devices, folder, trials, words):
        (folder / "run.db").unlink(missing_ok=True)
        command = [asctune, "run", path, "--device", devices, "--strategy", "random", "--budget", trials, "--no-history", "--json", "--db", folder / "run.db", *words]
        environment = dict(os.environ, ASCTUNE_CACHE_DIR=str(folder / "cache"))
        start, trials_s, self.found = time.perf_counter(), [], {}
        with open(folder / "run.log", "w+") as log, subprocess.Popen(list(map(str, command)), env=environment, stdout=subprocess.PIPE, stderr=log, text=True) as running:
            for line in map(json.loads, running.stdout):
                if line["type"] == "trial":
                    trials_s.append(time.perf_counter())
                elif line["type"] == "summary" and line.get("best"):
                    self.found[line["workload"]] = line
            status = running.wait()
            log.seek(0)
            if status or not self.found:
                tuning.give_up(f"{' '.join(map(str, command))}: exit status {status}: {log.read().strip()[-1000:]}")
        self.wall_s, self.search_s = time.perf_counter() - start, trials_s[-1] - trials_s[0]


def answer(summary):
    return summary["best"]["implementation"], summary["best"]["config_key"]


def gpus(asctune, devices, rounds, trials, limits):
    """`devices` as --device takes two, "cuda:0,1". Of one problem, whose samples are all taken, the time of the search
    counts, without what each run does once: inputs, references, finals."""
    kind, _, first = devices.partition(",")[0].partition(":")
    one = f"{kind}:{first}" if first else kind
    with tuning.workplace() as folder:
        many = folder / "ten"
        for name in OPERATORS:
            prepare(name, kind, many)
        single = prepare(ONE, kind, folder / "one", ONE_PROBLEM if kind == "cuda" else None)
        for title, path, n, words, time_of, least in (("ten problems", many, trials, (), "wall_s", 1.9), ("one problem", single, 15 * trials, ("--no-race",), "search_s", 1.7)):
            Run(asctune, path, devices, folder, n, words)  # fills the caches
            ratios, same, all_ = [], 0, 0
            for _ in range(rounds):
                alone, both = (Run(asctune, path, side, folder, n, words) for side in (one, devices))
                ratios.append(getattr(alone, time_of) / getattr(both, time_of))
                all_ += len(alone.found)
                same += sum(answer(alone.found[w]) in tuning.ties(both.found[w]) or answer(both.found[w]) in tuning.ties(alone.found[w]) for w in alone.found if w in both.found)
                print(f"  {title}: {alone.wall_s:.1f} s on one ({alone.search_s:.1f} from the first trial to the last), {both.wall_s:.1f} s on two ({both.search_s:.1f})", flush=True)
            limits.least(f"{title}: times sooner on two devices", statistics.median(ratios), least)
            limits.least(f"{title}: answers that tie, of {all_}", same, all_)
