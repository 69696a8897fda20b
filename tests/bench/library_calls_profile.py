"""library_calls_profile.py WORKLOAD PROBLEM TOKENS IMPLEMENTATION: a Python function of a shipped workload by torch.profiler, its cache as cold as asctune has it. Prints
one JSON object: medians of the sum of a call's kernels and of their span, and what a call costs in a loop."""
import functools
import importlib
import json
import pathlib
import statistics
import sys
import time

import torch
from operators_gpu import Case, Clock
from tuning import WORKLOADS

ROUNDS, LOOP = 100, 1000


def function_of(source):
    module, _, name = source.rpartition(":")
    if not module.endswith(".py"):
        return getattr(importlib.import_module(module), name)
    path = WORKLOADS / module
    sys.path.append(str(path.parent))
    return getattr(importlib.import_module(pathlib.Path(module).stem), name)


def main(name, problem, tokens, implementation):
    case, clock = Case(name, int(tokens) if tokens else None, "cuda"), Clock()
    assert case.operator.large == problem
    row = next(i for i in case.workload["implementations"] if i["name"] == implementation)
    tensors, placed, named = {**case.outputs, **case.inputs}, [], {}
    for argument in row["arguments"]:
        value = tensors.get(argument["tensor"]) if "tensor" in argument else case.evaluate(argument["scalar"])
        if "name" in argument:
            named[argument["name"]] = value
        else:
            placed.append(value)
    call = functools.partial(function_of(row["source"]), *placed, **named)
    call = call() if row.get("make") else call
    for _ in range(10):
        call()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(ROUNDS):
            clock.flush()
            call()
        torch.cuda.synchronize()
    calls = []
    for event in sorted((e for e in profile.profiler.kineto_results.events() if e.device_type() == torch.autograd.DeviceType.CUDA), key=lambda e: e.start_ns()):
        if "operators_flush" in event.name():
            calls.append([])
        elif calls:
            calls[-1].append(event)
    sums = [sum(e.duration_ns() for e in events) for events in calls]
    spans = [max(e.start_ns() + e.duration_ns() for e in events) - events[0].start_ns() for events in calls]
    start = time.perf_counter_ns()
    for _ in range(LOOP):
        call()
    host_ns = (time.perf_counter_ns() - start) / LOOP
    torch.cuda.synchronize()
    print(json.dumps({"sum_ns": statistics.median(sums), "span_ns": statistics.median(spans), "host_ns": host_ns, "kernels": sorted({e.name() for events in calls for e in events})}))


if __name__ == "__main__":
    main(*sys.argv[1:])
