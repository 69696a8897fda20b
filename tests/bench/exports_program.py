"""One call of a kernel with an autotuner, in a process of its own, for tests/bench/exports: exports_program.py KERNEL STEP [CONFIG CONFIG].

STEP is `first`: prints seconds of the first call, launches by benchmarks, and the configuration that was launched; `calls`: makes some calls; `rounds`: prints the times of two
configurations in interleaved rounds. With STUB=1 nothing is launched (tests/consumers/stub_driver.py), to try the programs without a GPU.
"""
import importlib
import json
import os
import random
import statistics
import sys
import time

import torch

STUB = os.environ.get("STUB") == "1"
DEVICE = "cpu" if STUB else "cuda"
WARM_UP, ROUNDS, LAUNCHES = 5, 200, 10
if STUB:
    import contextlib

    import stub_driver  # noqa: F401

    torch.cuda.device, torch.cuda.synchronize = (lambda *_: contextlib.nullcontext()), (lambda *_: None)


def made(*shape, dtype=torch.bfloat16):
    return torch.randn(shape, device=DEVICE, dtype=dtype) * 0.1


def make_triton():
    import exports_kernel
    import triton

    n = 4096 if not STUB else 64
    a, b, c = made(n, n), made(n, n), made(n, n)
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)  # noqa: E731
    return exports_kernel.product, lambda: exports_kernel.product[grid](a, b, c, n, n, n)


def make_fla():
    chunk = importlib.import_module("fla.ops.common.chunk_delta_h")
    batch, length, heads = (4, 4096, 16) if not STUB else (1, 64, 1)
    k, w, u = (made(batch, length, heads, 128) for _ in range(3))
    g = -torch.rand(batch, length, heads, device=DEVICE).cumsum(1) * 1e-3
    return chunk.chunk_gated_delta_rule_fwd_kernel_h_blockdim64, lambda: chunk.chunk_gated_delta_rule_fwd_h(k, w, u, g, output_final_state=True)


def make_flaggems():
    import flag_gems

    n = 4096 if not STUB else 64
    a, b = made(n, n), made(n, n)
    module = sys.modules[flag_gems.mm.__module__]
    return getattr(module, "mm_kernel_general_host_tma", None) or module.mm_kernel_general, lambda: flag_gems.mm(a, b)


def chain(kernel):
    """The objects around a kernel: what a program calls, autotuner, kernel."""
    found = [kernel]
    while hasattr(found[-1].fn, "fn"):
        found.append(found[-1].fn)
    return found, next(link for link in found if hasattr(link, "prune_configs"))


class Watch:
    """Launches of the kernel below the autotuner, and those of benchmarks."""

    def __init__(self, kernel, tuner):
        from triton.runtime.autotuner import Autotuner

        names = {name for config in tuner.configs for name in config.all_kwargs()}
        self.benched, self.launched, inside = 0, [], []
        bench, run = Autotuner._bench, kernel.run

        def benching(tuner, *args, **kwargs):
            inside.append(1)
            self.benched += 1
            try:
                return [1.0, 1.0, 1.0] if STUB else bench(tuner, *args, **kwargs)
            finally:
                inside.pop()

        def running(*args, **kwargs):
            if not inside:
                self.launched.append({name: value for name, value in kwargs.items() if name in names or name == "maxnreg"})
            return run(*args, **kwargs)

        Autotuner._bench, kernel.run = benching, running


def first(kernel, call):
    links, tuner = chain(kernel)
    watch = Watch(links[-1], tuner)
    torch.cuda.synchronize()
    began = time.perf_counter()
    call()
    torch.cuda.synchronize()
    return {"seconds": time.perf_counter() - began, "benched": watch.benched, "launched": watch.launched}


def graph_of(kernel, call, values):
    """A graph of some launches with one configuration: without the time of the host."""
    import triton

    links, tuner = chain(kernel)
    options = ("num_warps", "num_stages", "num_ctas", "maxnreg")
    listed = graph_of.lists.setdefault(id(tuner), tuner.configs)
    config = next((c for c in listed if {**c.all_kwargs(), **values} == c.all_kwargs()), None)
    tuner.configs = [config or triton.Config({k: v for k, v in values.items() if k not in options}, **{k: v for k, v in values.items() if k in options})]
    for link in links:
        for cache in getattr(link, "kernel_cache", ()):  # of FlagGems' LibEntry
            cache.clear()
    for _ in range(WARM_UP):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(LAUNCHES):
            call()
    return graph


graph_of.lists = {}


def rounds(kernel, call, *configs):
    graphs, times = [graph_of(kernel, call, json.loads(text)) for text in configs], [[], []]
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for turn in range(ROUNDS + WARM_UP):
        for which in random.sample((0, 1), 2):
            begin.record()
            graphs[which].replay()
            end.record()
            torch.cuda.synchronize()
            if turn >= WARM_UP:
                times[which].append(begin.elapsed_time(end) * 1000 / LAUNCHES)
    return {"us": [statistics.median(t) for t in times], "ratio": statistics.median(ours / own for ours, own in zip(*times))}


def calls(kernel, call):
    if STUB:
        Watch(chain(kernel)[0][-1], chain(kernel)[1])
    for _ in range(4):
        call()
    torch.cuda.synchronize()
    return {}


torch.manual_seed(1)
kernel, call = {"triton": make_triton, "fla": make_fla, "flaggems": make_flaggems}[sys.argv[1]]()
print(json.dumps({"first": first, "calls": calls, "rounds": rounds}[sys.argv[2]](kernel, call, *sys.argv[3:])))
