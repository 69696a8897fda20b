"""Calls of PyTorch by torch.profiler. Prints one JSON object.

library_calls_profile.py operator WORKLOAD PROBLEM TOKENS: `eager` and `compiled` of a shipped workload, as cold as asctune has them: each call reads one of
several sets of tensors behind a flush, and before that the last outputs are copied and poisoned, as asctune does it: PyTorch's own kernels for that would put
code of eager's out of the caches. Nothing follows a call before it has ended: a kernel that does shortens the record of the one before it by 0.03 to 0.2 us. Of
each: medians of the sum of a call's kernels and of their span, and what a call costs in a loop, the least of ten loops before the profiler begins: it makes
calls slower for good. Lines of the cache that a kernel marks to stay, as torch.compile's of reductions do with their inputs, outlast a flush: the driver gives
them up before it.
library_calls_profile.py matmul M N K DTYPE: names of the kernels of torch.matmul, as it is and by cuBLASLt."""
import ctypes
import functools
import importlib
import json
import pathlib
import random
import statistics
import sys
import time

import torch
from operators_gpu import Case, Clock
from tuning import WORKLOADS

SETS, WARM, ROUNDS, LOOPS, LOOP = 3, 4, 100, 10, 200
HOLD_CYCLES = 4000000  # two milliseconds: calls take less, also beside the profiler, eight functions of eager among them


def function_of(source):
    module, _, name = source.rpartition(":")
    if not module.endswith(".py"):
        return getattr(importlib.import_module(module), name)
    path = WORKLOADS / module
    sys.path.append(str(path.parent))
    return getattr(importlib.import_module(pathlib.Path(module).stem), name)


def call_of(case, implementation):
    """An implementation of the case without arguments: what a launch is."""
    row = next(i for i in case.workload["implementations"] if i["name"] == implementation)
    tensors, placed, named = {**case.outputs, **case.inputs}, [], {}
    for argument in row["arguments"]:
        value = tensors.get(argument["tensor"]) if "tensor" in argument else case.evaluate(argument["scalar"])
        if "name" in argument:
            named[argument["name"]] = value
        else:
            placed.append(value)
    call = functools.partial(function_of(row["source"]), *placed, **named)
    return call() if row.get("make") else call


def recorded(calls):
    """Records of the device's work in `calls`, in their order."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        calls()
        torch.cuda.synchronize()
    return sorted((e for e in profile.profiler.kineto_results.events() if e.device_type() == torch.autograd.DeviceType.CUDA), key=lambda e: e.start_ns())


def loop_ns(call):
    """What a call costs the host."""
    start = time.perf_counter_ns()
    for _ in range(LOOP):
        call()
    took_ns = time.perf_counter_ns() - start
    torch.cuda.synchronize()
    return took_ns / LOOP


def copy_and_poison(driver, made, outputs):
    """Does to the results of a call what asctune does."""
    for tensor in (made,) if torch.is_tensor(made) else made or outputs.values():
        tensor.clone()
        need(driver.cuMemsetD8Async(ctypes.c_void_p(tensor.data_ptr()), ctypes.c_ubyte(255), ctypes.c_size_t(tensor.nbytes), None), "outputs cannot be poisoned")


def need(failed, otherwise):
    if failed:
        raise RuntimeError(otherwise)


def warm(call):
    for _ in range(WARM):
        call()
    torch.cuda.synchronize()


def figures(cases, implementation, clock):
    """`cases`: the same but for their tensors."""
    calls = [(call_of(cases[0], implementation), cases[0].outputs)]
    warm(calls[0][0])
    # Before the others are there: what torch.compile makes looks for its own among all of one function.
    host_ns = min(loop_ns(calls[0][0]) for _ in range(LOOPS))
    calls += [(call_of(case, implementation), case.outputs) for case in cases[1:]]
    for call, _ in calls[1:]:
        warm(call)

    driver = ctypes.CDLL("libcuda.so.1")

    def rounds():
        for turn in range(ROUNDS):
            call, outputs = calls[random.randrange(SETS) if turn else 0]
            torch.cuda.synchronize()
            need(driver.cuCtxResetPersistingL2Cache(), "lines that are marked to stay cannot be given up")
            torch.cuda._sleep(HOLD_CYCLES)
            clock.flush()
            made = call()
            torch.cuda.synchronize()
            clock.empty()
            copy_and_poison(driver, made, outputs)

    launches, within = [], False
    for event in recorded(rounds):
        if "operators_flush" in event.name():
            launches.append([])
        within = "operators_flush" in event.name() or within and "operators_empty" not in event.name()
        if within and "operators_flush" not in event.name():
            launches[-1].append(event)
    sums = [sum(e.duration_ns() for e in events) for events in launches]
    spans = [max(e.start_ns() + e.duration_ns() for e in events) - events[0].start_ns() for events in launches]
    return {"sum_ns": statistics.median(sums), "span_ns": statistics.median(spans), "host_ns": host_ns}


def operator(name, problem, tokens):
    cases, clock = [Case(name, int(tokens) if tokens else None, "cuda") for _ in range(SETS)], Clock()
    assert cases[0].operator.large == problem
    return {implementation: figures(cases, implementation, clock) for implementation in ("eager", "compiled")}


def matmul(m, n, k, dtype):
    a, b = (torch.randn(int(rows), int(columns), device="cuda").to(getattr(torch, dtype)) for rows, columns in ((m, k), (k, n)))
    names = {}
    for library in ("default", "cublaslt"):
        torch.backends.cuda.preferred_blas_library(library)
        torch.matmul(a, b)
        names[library] = sorted({event.name() for event in recorded(lambda: torch.matmul(a, b))})
    return names


if __name__ == "__main__":
    print(json.dumps({"operator": operator, "matmul": matmul}[sys.argv[1]](*sys.argv[2:])))
