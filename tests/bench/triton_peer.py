"""Triton beside asctune, as tests/bench/triton asks it: one JSON object a line on stdin, one as an answer on stdout.

A process has one kernel, of one of the workloads, with inputs on the GPU. Words are the members of a request.
open       KERNEL of KERNELS, dims, causal: imports the kernel and makes tensors
autotune   configs: time of the first call under triton.autotune, whose caches are empty
launch     config, artifact (a file with machine code), launches, cold_bytes: times of launches through Triton's launcher, from records of CUPTI
"""
import contextlib
import functools
import importlib.util
import json
import math
import os
import pathlib
import sys
import time

WORKLOADS = pathlib.Path(__file__).resolve().parents[2] / "workloads"
LOG2_E = 1.4426950408889634
OPTIONS = ("num_warps", "num_stages")


def ceil_div(a, b):
    return -(-a // b)


class Product:
    """gemm/kernel.py on bf16 matrices."""

    source, entry = "gemm/kernel.py", "gemm"

    def __init__(self, torch, dims, causal):
        self.m, self.n, self.k = (dims[name] for name in "MNK")
        a = torch.randn(self.m, self.k, device="cuda", dtype=torch.bfloat16)
        b = torch.randn(self.k, self.n, device="cuda", dtype=torch.bfloat16)
        c = torch.empty(self.m, self.n, device="cuda", dtype=torch.bfloat16)
        self.arguments = [a, b, c, self.m, self.n, self.k, 4096]  # the last is read by kernels that walk, and of the class of any number of blocks

    def constants(self, config):
        return {"EVEN_K": True, "WALK": False}

    def grid(self, config):
        return (ceil_div(self.m, config["BLOCK_M"]) * ceil_div(self.n, config["BLOCK_N"]),)


class Attention:
    """sdpa/kernel.py on bf16 tensors whose heads are a power of two, and sequences multiples of all blocks."""

    source, entry = "sdpa/kernel.py", "sdpa"

    def __init__(self, torch, dims, causal):
        self.heads, self.length, self.causal = dims["B"] * dims["H"], dims["S"], causal
        shape = [dims[name] for name in "BHSD"]
        tensors = [torch.randn(*shape, device="cuda", dtype=torch.bfloat16) for _ in range(4)]
        self.arguments = [*tensors, dims["S"], dims["D"], LOG2_E / math.sqrt(dims["D"]), 4096]

    def constants(self, config):
        return {"BLOCK_SIZE_SUB": config["BLOCK_M"], "REVERSE": False, "FULL_HEAD": True, "CAUSAL": self.causal,
                "TAIL": self.causal, "WALK": False}

    def grid(self, config):
        return (ceil_div(self.length, config["BLOCK_M"]) * self.heads,)


KERNELS = {"product": Product, "attention": Attention}


class Peer:
    def __init__(self):
        self.problem = self.kernel = self.torch = self.triton = None
        self.compile_s = 0.0

    def open(self, request):
        start = time.perf_counter()
        import torch
        import triton
        self.torch, self.triton = torch, triton
        imported = time.perf_counter()
        self.problem = KERNELS[request["kernel"]](torch, request["dims"], request["causal"])
        spec = importlib.util.spec_from_file_location("peer_kernel", WORKLOADS / self.problem.source)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        self.kernel = getattr(module, self.problem.entry)
        torch.cuda.synchronize()
        self.watch_compiles()
        return {"triton": triton.__version__, "torch": torch.__version__, "import_s": imported - start, "inputs_s": time.perf_counter() - imported}

    def watch_compiles(self):
        """Adds up the seconds in Triton's compiler, where this version tells them."""
        def listen(*, times, **_):
            self.compile_s += times.total * 1e-6
        with contextlib.suppress(AttributeError):
            self.triton.knobs.compilation.listener = listen

    def autotune(self, request):
        configs = [self.config(values) for values in request["configs"]]
        tuned = self.triton.autotune(configs=configs, key=[])(self.kernel)
        self.compile_s, start = 0.0, time.perf_counter()
        tuned[self.problem.grid](*self.problem.arguments)
        self.torch.cuda.synchronize()
        wall_s = time.perf_counter() - start
        medians_ms = [tuned.configs_timings[config][0] for config in configs]
        best = configs.index(tuned.best_config)
        return {"wall_s": wall_s, "compile_s": self.compile_s, "best": request["configs"][best], "best_ms": medians_ms[best],
                "failed": sum(math.isinf(ms) for ms in medians_ms)}

    def config(self, values):
        options = {name: value for name, value in values.items() if name in OPTIONS}
        constants = {name: value for name, value in values.items() if name not in OPTIONS}
        return self.triton.Config({**constants, **self.problem.constants(values)}, **options)

    def launch(self, request):
        values = {**request["config"], **self.problem.constants(request["config"])}
        run = functools.partial(self.kernel[self.problem.grid(values)], *self.problem.arguments, **values)
        made = run()
        self.replace(made, pathlib.Path(request["artifact"]).read_bytes())
        cold = self.torch.empty(request["cold_bytes"], device="cuda", dtype=self.torch.int8)
        for _ in range(3):
            run()
        return {"times_ns": self.record(run, cold, request["launches"])}

    def replace(self, made, code):
        """Has Triton's launcher start this code from now on."""
        driver = self.triton.runtime.driver.active
        loaded = driver.utils.load_binary(made.metadata.name, code, made.metadata.shared, driver.get_current_device())
        made.module, made.function = loaded[:2]

    def record(self, run, cold, launches):
        """Times of launches on flushed caches."""
        profiler = self.torch.profiler
        self.torch.cuda.synchronize()
        with profiler.profile(activities=[profiler.ProfilerActivity.CUDA], acc_events=True) as profile:
            for _ in range(launches):
                cold.zero_()
                run()
            self.torch.cuda.synchronize()
        return [event.duration_ns() for event in profile.profiler.kineto_results.events() if event.name() == self.problem.entry]


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    peer = Peer()
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps(getattr(peer, request["do"])(request)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
