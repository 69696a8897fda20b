"""Operators of workloads/ on the CPU beside a copy with as many threads: tests/bench/operators --cpu.

Each kernel is compiled as asctune's builder compiles it; one build parameter after the other takes its fastest value. Then all operators,
in f32 and in bf16 at 8192 x 8192, and a copy run once in each round, in random order. Of each the bytes that it has to move (the workload's `bytes`)
per second, divided by those of the copy of the same round; the median of the rounds counts. The copy is the faster of the C library's and one with
stores past the caches. A run takes as long as that thread's own time on a processor which is the longest: other programs do not count. Limits:

  f32     geometric mean over the operators at least 0.75 of the copy
  bf16    each operator at least 0.6 of its own bytes/s in f32
"""
import array
import concurrent.futures
import ctypes
import json
import math
import mmap
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPERATORS = ("add mul cast cat rms_norm add_rms_norm swiglu silu_and_mul causal_softmax rotary_embedding apply_rotary_pos_emb reshape_and_cache "
             "geglu softmax").split()
COPY_LIMIT, BF16_LIMIT = 0.75, 0.6
COPY_BYTES = 4 * 8192 * 8192
CTYPES = {"f64": "double", "f32": "float", "f16": "uint16_t", "bf16": "uint16_t", "f8e4m3": "uint8_t", "f8e5m2": "uint8_t",
          **{f"{sign}{bits}": f"{prefix}int{bits}_t" for sign, prefix in (("i", ""), ("u", "u")) for bits in (8, 16, 32, 64)}, "bool": "_Bool"}
SIZES = {"double": 8, "float": 4, "_Bool": 1, **{f"{p}int{b}_t": b // 8 for p in ("", "u") for b in (8, 16, 32, 64)}}
FLAGS = "-std=gnu17 -O3 -fPIC -shared -fvisibility=hidden -fno-math-errno -fopenmp-simd -pthread -w".split() + [
    "-mcpu=native" if os.uname().machine == "aarch64" else "-march=native"]
COPY = r"""
#include "%s/workloads/cpu/rows.h"
__attribute__((visibility("default"))) void span(void *const *t, int64_t first, int64_t last)
{
	char *to = (char *)t[1] + first * BLOCK;
	const char *from = (const char *)t[0] + first * BLOCK;
	if (STREAM)
		bytes_copy(to, from, (last - first) * BLOCK);
	else
		memcpy(to, from, (last - first) * BLOCK);
	STREAM_END();
}
"""


class Job:
    """One kernel on one problem: what is called, with which tensors, and how fast it was."""

    def __init__(self, name, dtype):
        self.name, self.dtype, self.rates = name, dtype, []

    def turn(self, thread, threads):
        """Every `threads`-th of 16 parts for each thread: the work of a causal row grows with its number."""
        parts = 16 * threads
        begin = time.thread_time_ns()
        for part in range(thread, parts, threads):
            self.function(self.addresses, self.blocks * part // parts, self.blocks * (part + 1) // parts)
        return time.thread_time_ns() - begin

    def measure(self, pool, threads):
        """Bytes per ns of one run, whose time is that of the thread that takes longest."""
        return self.bytes / max(done.result() for done in [pool.submit(self.turn, thread, threads) for thread in range(threads)])


class Workload:
    """A workload's file with the names of one problem: what its formulas give."""

    def __init__(self, name, dtype, threads):
        self.file = json.loads((ROOT / "workloads" / f"{name}.json").read_text())
        self.problem = next((p for p in self.file["problems"] if "large" in p.get("tags", []) and p["dtypes"]["T"] == dtype and
                             not any(isinstance(d, list) for d in p["dims"].values()) and p["dtypes"].get("U") in (None, "bf16", "f32")), None)
        self.implementation = next(i for i in self.file["implementations"] if i.get("builder") == "cc" and "calls" not in i)
        if not self.problem:
            return
        self.names = {"min": min, "max": max, "abs": abs, "int": int, "float": float, "log2": math.log2,
                      "ceil_div": lambda a, b: -(-a // b), "align": lambda a, b: -(-a // b) * b, "sizeof": lambda tensor: tensor,
                      "true": True, "false": False, "device": types.SimpleNamespace(threads=threads), **self.problem["dims"], **self.problem["dtypes"]}
        for tensor, t in self.file["tensors"].items():
            count = math.prod(self.value(size) for size in t["shape"]) if self.value(t.get("optional", 1)) else 0
            self.names[tensor] = count * SIZES[CTYPES[self.dtype(t)]]

    def dtype(self, tensor):
        return self.problem["dtypes"].get(tensor["dtype"], tensor["dtype"])

    def value(self, formula, config={}):
        return eval(formula, {**self.names, **config}) if isinstance(formula, str) else formula

    def parameters(self, threads):
        """The default configuration with as many threads, and the values of each build parameter."""
        parameters = {k: p if isinstance(p, dict) else {"values": p} for k, p in self.implementation["parameters"].items()}
        default = {k: threads if k == "THREADS" else p.get("default", p["values"][0]) for k, p in parameters.items()}
        return default, {k: p["values"] for k, p in parameters.items() if p.get("stage") != "launch"}

    def source(self, config):
        """A C function that calls the kernel for some blocks of its grid."""
        i, arguments = self.implementation, []
        grid = [self.value(g, config) for g in i["launch"]["grid"]] + [1, 1]
        index = {"block_x": f"i % {grid[0]}", "block_y": f"i / {grid[0]} % {grid[1]}", "block_z": f"i / {grid[0] * grid[1]}"}
        for argument in i["arguments"]:
            if "tensor" in argument:
                arguments.append(f"t[{list(self.file['tensors']).index(argument['tensor'])}]")
            elif "builtin" in argument:
                arguments.append(index[argument["builtin"]])
            else:
                arguments.append(f"({CTYPES[argument['type']]}){self.value(argument['scalar'], config):d}"
                                 if isinstance(self.value(argument["scalar"], config), int) else repr(float(self.value(argument["scalar"], config))))
        text = f'#include "{ROOT}/workloads/{i["source"]}"\n__attribute__((visibility("default"))) void span(void *const *t, int64_t first, int64_t last)\n'
        text += f"{{\n\tfor (int64_t i = first; i < last; i++)\n\t\t{i['entry']}({', '.join(arguments)});\n}}\n"
        return text, math.prod(grid)

    def macros(self, config):
        variables = self.problem["dtypes"].items()
        return [f"-DDTYPE_{name}={i}" for i, name in enumerate(CTYPES)] + [f"-DDTYPE_{v}=DTYPE_{t}" for v, t in variables] + [
            f"-DCTYPE_{v}={CTYPES[t]}" for v, t in variables] + [f"-D{k}={int(v) if isinstance(v, bool) else v}" for k, v in config.items()]


class Memory:
    """Tensors' contents, which kernels share: one block for each type, kind of content and place among those of a kernel."""

    def __init__(self):
        self.wanted, self.made = {}, {}

    def want(self, key, size):
        self.wanted[key] = max(self.wanted.get(key, 0), size)

    def get(self, key):
        if key not in self.made:
            block = mmap.mmap(-1, self.wanted[key])
            if hasattr(mmap, "MADV_HUGEPAGE"):
                block.madvise(mmap.MADV_HUGEPAGE)
            pattern = self.pattern(*key[:2], self.wanted[key])
            for at in range(0, len(block), len(pattern)):
                block[at:at + len(pattern)] = pattern[:len(block) - at]
            self.made[key] = block
        return ctypes.addressof(ctypes.c_char.from_buffer(self.made[key]))

    @staticmethod
    def pattern(dtype, content, size):
        if dtype in ("f32", "f16", "bf16"):
            numbers = array.array("f", (random.gauss(0, 1) for _ in range(1 << 16)))
            if dtype == "bf16":
                return array.array("H", (bits >> 16 for bits in array.array("I", numbers.tobytes()))).tobytes()
            return numbers.tobytes() if dtype == "f32" else struct.pack(f"{len(numbers)}e", *numbers)
        code = {"i64": "q", "i32": "i"}[dtype]
        count = size // array.array(code).itemsize
        return array.array(code, random.sample(range(count), count) if content == "slots" else range(count)).tobytes()


def tensors(workload):
    seen = {}
    for name, t in workload.file["tensors"].items():
        key = (workload.dtype(t), t.get("fill", {}).get("kind") if t["dtype"] in ("i64", "i32") or t["dtype"] in ("S", "P") else "", t["role"])
        seen[key] = seen.get(key, 0) + 1
        yield (*key, seen[key]), workload.names[name]


def compile_all(sources, folder):
    """Shared objects of (text, flags), as many compilers at once as there are processors."""
    def one(numbered):
        i, (text, flags) = numbered
        path = pathlib.Path(folder, f"{i}-{random.getrandbits(32):x}.c")
        path.write_text(text)
        subprocess.run([os.environ.get("CC", "cc"), *FLAGS, *flags, path, "-o", path.with_suffix(".so"), "-lm"], check=True)
        function = ctypes.CDLL(str(path.with_suffix(".so"))).span
        function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64], None
        return function

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as compilers:
        return list(compilers.map(one, enumerate(sources)))


def fastest(job, candidates, pool, threads):
    """Leaves the job with the candidate (function, blocks, config) that is the fastest of three runs in turn."""
    best = [0.0] * len(candidates)
    for _ in range(3):
        for i, (job.function, job.blocks, job.config) in enumerate(candidates):
            best[i] = max(best[i], job.measure(pool, threads))
    job.function, job.blocks, job.config = candidates[best.index(max(best))]


def tune(job, workload, pool, threads, folder):
    """One build parameter after the other takes its fastest value, the others staying as they are."""
    config, values = workload.parameters(threads)
    for name in values:
        configs = [{**config, name: value} for value in values[name]]
        configs = [c for c in configs if all(workload.value(condition, c) for condition in workload.implementation.get("constraints", []))]
        sources = [workload.source(c) for c in configs]
        found = compile_all([(text, workload.macros(c)) for (text, _), c in zip(sources, configs)], folder)
        fastest(job, [(function, blocks, c) for function, (_, blocks), c in zip(found, sources, configs)], pool, threads)
        config = job.config


def make_jobs(only, memory, pool, threads, folder):
    jobs, workloads = [], []
    for name in only:
        for dtype in ("f32", "bf16"):
            workload = Workload(name, dtype, threads)
            if workload.problem:
                workloads.append((Job(name, dtype), workload))
                for key, size in tensors(workload):
                    memory.want(key, size or 1)
    copies = [("f32", "", "in", 1), ("f32", "", "out", 1)]
    for key in copies:
        memory.want(key, COPY_BYTES)
    copy = Job("copy", "")
    copy.bytes, copy.addresses = 2 * COPY_BYTES, (ctypes.c_void_p * 2)(*map(memory.get, copies))
    macros = [f"-DDTYPE_{name}={i}" for i, name in enumerate(CTYPES)] + ["-DDTYPE_T=DTYPE_f32", "-DCTYPE_T=float", f"-DBLOCK={1 << 20}"]
    found = compile_all([(COPY % ROOT, macros + [f"-DSTREAM={stream}"]) for stream in (0, 1)], folder)
    fastest(copy, [(function, COPY_BYTES >> 20, {"STREAM": i}) for i, function in enumerate(found)], pool, threads)
    for job, workload in workloads:
        job.bytes = workload.value(workload.file["bytes"])
        job.addresses = (ctypes.c_void_p * 64)(*(memory.get(key) if size else None for key, size in tensors(workload)))
        tune(job, workload, pool, threads, folder)
        jobs.append(job)
    return copy, jobs


def main(options):
    threads = os.cpu_count()
    only = options.only or OPERATORS
    rounds = min(options.rounds, 30)
    memory = Memory()  # as long as its addresses are used
    with tempfile.TemporaryDirectory(prefix="asctune-operators.") as folder, concurrent.futures.ThreadPoolExecutor(threads) as pool:
        copy, jobs = make_jobs(only, memory, pool, threads, folder)
        for _ in range(rounds):
            order = [copy, *jobs]
            random.shuffle(order)
            for job in order:
                job.rates.append(job.measure(pool, threads))
    print(f"{threads} threads, {rounds} rounds; copy {statistics.median(copy.rates):.1f} GB/s ({'past the caches' if copy.config['STREAM'] else 'memcpy'})")
    print(f"{'operator':<22} {'f32':>6} of the copy {'bf16':>6} of f32   configurations")
    parts, failed = [], []
    for name in only:
        own = {job.dtype: job for job in jobs if job.name == name}
        if "f32" not in own:
            print(f"{name:<22} {'-':>6}")
            continue
        parts.append(statistics.median(a / b for a, b in zip(own["f32"].rates, copy.rates)))
        half = statistics.median(a / b for a, b in zip(own["bf16"].rates, own["f32"].rates)) if "bf16" in own else None
        if half is not None and half < BF16_LIMIT:
            failed.append(f"{name}: bf16 at {half:.2f} of f32")
        shown = " | ".join(" ".join(f"{k}={int(v)}" for k, v in job.config.items() if k != "THREADS") for job in own.values())
        print(f"{name:<22} {parts[-1]:6.2f}             {half if half is None else format(half, '6.2f')}          {shown}")
    mean = statistics.geometric_mean(parts)
    print(f"{'geometric mean':<22} {mean:6.2f}")
    if mean < COPY_LIMIT:
        failed.append(f"f32: {mean:.2f} of the copy")
    for failure in failed:
        print(f"below the limit: {failure}", file=sys.stderr)
    return 1 if failed else 0
