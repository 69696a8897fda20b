"""What a strategy of Kernel Tuner tries on recorded results: search_peers.py FILE STRATEGY RUNS SEED BUDGET_S

Prints a line for each run of its simulation mode, with the default options of the strategy: the configurations in the order
of their first evaluation. Its budget is recorded time alone: what Kernel Tuner itself takes does not count, nor does an
evaluation that it repeats. The search space is made of the file's configurations, once for all runs.
"""
import gzip
import json
import random
import sys
import warnings

import kernel_tuner
import numpy
from kernel_tuner import interface, searchspace, util

ERRORS = {"compile": util.CompilationFailedConfig(), "constraints": util.InvalidConfig()}


def read_cache(path):
    """Entries as in Kernel Tuner's own cache, by its key, and the values of each parameter, ascending."""
    with gzip.open(path) as file:
        document = json.load(file)
    entries = {}
    for result in document["results"]:
        config, times = result["configuration"], result["times"]
        time = next(m["value"] for m in result["measurements"] if m["name"] == "time")
        entry = {**config, "time": time, "times": times.get("runtimes", []), "compile_time": times["compilation"],
                 "verification_time": times["validation"], "framework_time": times["framework"], "strategy_time": 0,
                 "benchmark_time": sum(times.get("runtimes", [])), "timestamp": ""}
        if result["invalidity"] != "correct":
            entry["__error__"] = ERRORS.get(result["invalidity"], util.RuntimeFailedConfig())
        entries[",".join(map(str, config.values()))] = entry
    names = list(document["results"][0]["configuration"])
    return entries, {n: sorted({entry[n] for entry in entries.values()}) for n in names}


def prepare(entries, params):
    """Has tune_kernel() take the cache and the space as they are here, and count recorded time alone."""
    space = searchspace.Searchspace(None, None, None, from_cache={"tune_params": params, "cache": entries})
    interface.Searchspace = lambda *_, **__: space
    util.process_cache = lambda *_: entries
    util.close_cache = lambda _: None
    util.TuningBudget.get_time_spent = lambda self: self.time_spent_extra


def tune(params, strategy, seed, budget_s):
    random.seed(seed)
    numpy.random.seed(seed)
    results, _ = kernel_tuner.tune_kernel(
        "kernel", "__global__ void kernel() {}", 1, [], params, simulation_mode=True, cache="recorded.json", quiet=True,
        strategy=strategy, strategy_options={"time_limit": budget_s}, seed=seed, lang="CUDA")
    seen = dict.fromkeys(",".join(f"{n}={r[n]}" for n in params) for r in results)
    return " ".join(seen)


def main():
    path, strategy, runs, seed, budget_s = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:])
    warnings.simplefilter("ignore")
    entries, params = read_cache(path)
    prepare(entries, params)
    for run in range(int(runs)):
        print(tune(params, strategy, int(seed) + run, budget_s))


if __name__ == "__main__":
    main()
