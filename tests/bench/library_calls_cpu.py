"""Parts of tests/bench/library_calls that a CPU can show."""
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time

import tuning
from library_calls_workers import compare_workers

NOTHING_US, NUMPY_S, KILL_S, FIRST_S, SECOND_S = 0.5, 60, 5, 30, 10
NUMPY = {"softmax": "bert-384", "rms_norm": "llama-7b-512", "gemm": "llama-7b-ffn-shard"}  # and the problem of each
CALLS = tuning.ROOT / "tests/data/calls"


def need(options, module):
    """Gives up where the Python has no such module."""
    done = subprocess.run([options.python, "-c", f"import {module}"], capture_output=True, text=True)
    if done.returncode:
        tuning.give_up(f"{options.python} has no {module}: {done.stderr.strip().splitlines()[-1]}")


@contextlib.contextmanager
def workloads():
    """A folder of the workloads that call Python functions in tests."""
    with tuning.workplace() as folder:
        subprocess.run([sys.executable, CALLS / "make_workloads.py", folder], check=True)
        yield folder


def processor_s():
    """Of all processes that have ended here: less of it depends on what else runs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Run:
    """One `asctune run` on the CPU, with a cache beside the workload: its seconds from start to exit, those of processors, and its trials."""

    def __init__(self, options, workload, problem, *words):
        database, cache = workload.with_suffix(".db"), workload.with_suffix(".cache")
        database.unlink(missing_ok=True)
        command = [options.asctune, "run", workload, "--problem", problem, "--device", "cpu", "--python", options.python, "--db", database, "--no-history", "--json", *words]
        start, before = time.perf_counter(), processor_s()
        done = subprocess.run(list(map(str, command)), env=dict(os.environ, ASCTUNE_CACHE_DIR=str(cache)), capture_output=True, text=True)
        self.wall_s, self.processor_s = time.perf_counter() - start, processor_s() - before
        self.said = done.stderr.strip()
        if done.returncode not in (0, 1):
            tuning.give_up(f"{' '.join(map(str, command))}: exit status {done.returncode}: {self.said[-1500:]}")
        self.trials = [line for line in map(json.loads, done.stdout.splitlines()) if line["type"] == "trial"]

    def need_all(self, *names):
        """Gives up unless each of these was verified and timed."""
        for name in names:
            found = [(trial["status"], trial.get("reason")) for trial in self.trials if trial["implementation"] == name]
            if not any(status in ("ok", "slow") for status, _ in found):
                tuning.give_up(f"{name}: {found or self.said[-1500:]}")

    def launch_ns(self, name):
        """First quartile of the samples of an implementation's configuration, of one launch: what else the processor does for a part of the run only adds."""
        trial = next(trial for trial in self.trials if trial["implementation"] == name and trial.get("samples_ns"))
        return statistics.quantiles(trial["samples_ns"], n=4)[0]


def nothing(options, limits):
    with workloads() as folder:
        more = []
        for _ in range(options.rounds):
            run = Run(options, folder / "nothing.json", "one", "--budget", 2, "--cache", "hot", "--repeats", 200)
            run.need_all("c", "nothing")
            more.append((run.launch_ns("nothing") - run.launch_ns("c")) * 1e-3)
    limits.most(f"us of a Python function that does nothing beside C, {options.rounds} runs", statistics.median(more), NOTHING_US)


def numpy(options, limits):
    need(options, "numpy")
    with workloads() as folder:
        start = time.perf_counter()
        for workload, problem in NUMPY.items():
            Run(options, folder / f"{workload}.json", problem, "--budget", 4).need_all("numpy")
        limits.most("s of softmax, rms_norm and matmul by numpy", time.perf_counter() - start, NUMPY_S)


def kill(options, limits):
    need(options, "torch")
    names = ("ends", "aborts", "kills")
    with workloads() as folder:
        alone = tuning.narrow(folder / "endings.json", folder / "alone", {"imports": "1 == 1"})
        Run(options, alone, "one")  # fills the cache
        seconds = [Run(options, workload, "one", "--no-race").wall_s for workload in (alone, folder / "endings.json")]
    limits.most("s of a call that ends its process, beside none", (seconds[1] - seconds[0]) / len(names), KILL_S)


def workers(options, limits):
    need(options, "torch")
    compare_workers(options, limits, "cpu", {**NUMPY, "sdpa": "bert-384"})


def softmax(options, limits):
    need(options, "torch")
    shipped, names = tuning.WORKLOADS / "softmax.json", ("rows", "eager", "compiled")
    with tuning.workplace() as folder:
        alone, all_three = (tuning.narrow(shipped, folder / str(n), dict.fromkeys(names[:n], "1 == 1")) for n in (1, 3))
        for which, most in (("on an empty cache", FIRST_S), ("the second time", SECOND_S)):
            runs = [Run(options, workload, "bert-384", "--budget", 12) for workload in (alone, all_three)]
            runs[1].need_all(*names)
            limits.most(f"s more for softmax with eager and compiled {which}", runs[1].wall_s - runs[0].wall_s, most)
            print(f"  of processors, in s: {runs[1].processor_s - runs[0].processor_s:.1f} more")
