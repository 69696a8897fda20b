"""Operators of workloads/ on a GPU, tuned and launched, beside PyTorch's own and torch.compile's: tests/bench/operators without --cpu."""
import ctypes
import json
import math
import os
import random
import statistics
import subprocess
import time
import warnings

import torch
import torch.nn.functional as F
from search_limits import Limits
from tuning import WORKLOADS, give_up, need_device, program, workplace

TOKENS = (1, 4, 16, 64)
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32}
COPY, COPY_ROTARY, COMPILED, WORST, EAGER, OTHERS = 0.95, 0.90, 1.00, 0.90, 1.3, 0.85
EPSILON = 1e-6

warnings.filterwarnings("ignore", message=".*Profiler clears events")  # there is one cycle

# ---- what PyTorch computes: from the workload's tensors by name, outputs in the order of the file ----


def rotated(x, cos, sin):
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def rotary_embedding(t):
    cos, sin = t["cos_sin_cache"][t["positions"]].unsqueeze(1).chunk(2, -1)
    return rotated(t["query"], cos, sin), rotated(t["key"], cos, sin)


def apply_rotary_pos_emb(t):
    cos, sin = t["cos"].unsqueeze(1), t["sin"].unsqueeze(1)
    half = lambda x: torch.cat((-x[..., x.shape[-1] // 2:], x[..., :x.shape[-1] // 2]), -1)  # noqa: E731
    return t["query"] * cos + half(t["query"]) * sin, t["key"] * cos + half(t["key"]) * sin


def norm(x, weight):
    return F.rms_norm(x, weight.shape, weight, EPSILON)


def add_rms_norm(t):
    x = t["x1"] + t["x2"]
    return norm(x, t["gamma"]), x


def silu_and_mul(t):
    gate, up = t["x"].chunk(2, -1)
    return (F.silu(gate) * up,)


def unseen(scores):
    queries, keys = scores.shape[-2:]
    return torch.arange(keys, device=scores.device) > keys - queries + torch.arange(queries, device=scores.device).unsqueeze(1)


def causal_softmax(t):
    return (torch.softmax(t["input"].masked_fill(unseen(t["input"]), -math.inf), -1),)


def causal_softmax_masked(t):
    """With a mask that is made once, as programs have it that do not compile."""
    if "mask" not in t:
        t["mask"] = unseen(t["input"])
    return (torch.softmax(t["input"].masked_fill(t["mask"], -math.inf), -1),)


def reshape_and_cache(t):
    rows = t["kv_cache"].view(2, -1, *t["key"].shape[1:])
    rows[0].index_copy_(0, t["slot_mapping"], t["key"])
    rows[1].index_copy_(0, t["slot_mapping"], t["value"])
    return (t["kv_cache"],)


class Operator:
    """`large` is the workload's problem of 8192 x 8192, `tokens` its dimension that small sizes change; `eager` is what a program without a compiler calls. A tolerance
    leaves room for PyTorch's, which rounds between kernels."""

    def __init__(self, compute, large="square-8k-bf16", tokens="M", eager=None, gated=False, tolerance=2.0 ** -6):
        self.compute, self.eager = compute, eager or compute
        self.large, self.tokens, self.gated, self.tolerance = large, tokens, gated, tolerance


OPERATORS = {
    "add_rms_norm": Operator(add_rms_norm, gated=True),
    "silu_and_mul": Operator(silu_and_mul, "large-bf16", gated=True),
    "rotary_embedding": Operator(rotary_embedding, "tokens-8k-bf16", gated=True, tolerance=2.0 ** -4),
    "causal_softmax": Operator(causal_softmax, tokens="Q", eager=causal_softmax_masked, gated=True),
    "add": Operator(lambda t: (torch.add(t["input"], t["other"]),), "large-bf16"),
    "mul": Operator(lambda t: (t["input"] * t["other"],), "large-bf16"),
    "cast": Operator(lambda t: (t["input"].to(torch.float32),), "large-bf16-f32"),
    "cat": Operator(lambda t: (torch.cat((t["input0"], t["input1"]), -1),), "large-bf16"),
    "rms_norm": Operator(lambda t: (norm(t["input"], t["weight"]),)),
    "softmax": Operator(lambda t: (torch.softmax(t["x"], -1),)),
    "swiglu": Operator(lambda t: (t["input"] * F.silu(t["gate"]),), "large-bf16"),
    "geglu": Operator(lambda t: (F.gelu(t["a"], approximate="tanh") * t["b"],), "large-bf16"),
    "apply_rotary_pos_emb": Operator(apply_rotary_pos_emb, "tokens-8k-bf16", tolerance=2.0 ** -4),
    "reshape_and_cache": Operator(reshape_and_cache, "tokens-8k-bf16"),
}

# ---- one size of an operator ----


class Case:
    """A problem with its tensors; `tokens` is None for the large one."""

    def __init__(self, name, tokens, device, dims=None):
        self.name, self.operator, self.tokens = name, OPERATORS[name], tokens
        self.workload = json.loads((WORKLOADS / f"{name}.json").read_text())
        problem = next(p for p in self.workload["problems"] if p["name"] == self.operator.large)
        self.dims = {**problem["dims"], **({self.operator.tokens: tokens} if tokens else {}), **(dims or {})}
        self.dtypes = problem["dtypes"]
        self.inputs, self.outputs = {}, {}
        torch.manual_seed(1)
        for tensor, stated in self.workload["tensors"].items():
            if not self.evaluate(stated.get("optional", True)) or "cuda" not in stated.get("devices", ["cuda"]):
                continue
            made = self.make(stated, device)
            if stated["role"] != "out":
                self.inputs[tensor] = made
            if stated["role"] != "in":
                self.outputs[tensor] = made if stated["role"] == "out" else made.clone()

    def evaluate(self, formula):
        """Of the dimensions; formulas of workloads read as Python's."""
        size = lambda tensor: tensor.numel() * tensor.element_size()  # noqa: E731
        names = {**self.outputs, **self.inputs} if hasattr(self, "outputs") else {}
        return eval(str(formula), {"__builtins__": {}}, {**names, **self.dims, **self.dtypes, "min": min, "max": max, "sizeof": size})

    def make(self, stated, device):
        shape = [self.evaluate(x) for x in stated["shape"]]
        dtype = TYPES[self.dtypes.get(stated["dtype"], stated["dtype"])]
        fill = stated.get("fill", {})
        if fill.get("kind") == "slots":
            return torch.randperm(self.evaluate(fill["slots"]), device=device)[:shape[0]].to(dtype)
        if dtype.is_floating_point:
            return torch.rand(shape, device=device).mul(2).sub(1).to(dtype) if fill.get("kind") == "uniform" else torch.randn(shape, device=device, dtype=dtype)
        return torch.randint(0, self.evaluate(fill["high"]), shape, device=device, dtype=dtype)

    def problem(self):
        """As asctune names it."""
        return self.operator.large + (f".{self.operator.tokens}{self.tokens}" if self.tokens else "")

    def title(self):
        return f"{self.name} {self.operator.tokens} {self.dims[self.operator.tokens]}"

    def useful_bytes(self):
        return self.evaluate(self.workload["bytes"])

    def worst(self, found, wanted):
        """The largest difference of outputs, in tolerances: parts of an element and of the root mean square of all."""
        worst = 0.0
        for a, b in zip(found, wanted):
            a, b = a.float(), b.float()
            allowed = self.operator.tolerance * (b.abs() + b.square().mean().sqrt())
            worst = max(worst, ((a - b).abs() / allowed).max().item())
        return worst


# ---- asctune ----


class Kernel:
    """A kernel that `asctune build --output` has written to the folder, loaded into PyTorch's context."""

    TYPES = {"i64": ctypes.c_int64, "u64": ctypes.c_uint64, "i32": ctypes.c_int32, "f32": ctypes.c_float, "f64": ctypes.c_double, "bool": ctypes.c_bool}
    driver = None

    def __init__(self, plan, folder, tensors):
        Kernel.driver = Kernel.driver or ctypes.CDLL("libcuda.so.1")
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self.need(Kernel.driver.cuModuleLoadData(ctypes.byref(module), (folder / plan["file"]).read_bytes()), "cuModuleLoadData")
        self.need(Kernel.driver.cuModuleGetFunction(ctypes.byref(self.function), module, plan["entry"].encode()), "cuModuleGetFunction")
        self.shape = [*plan["grid"], *plan["block"], plan["dynamic_shared_bytes"]]
        if plan["dynamic_shared_bytes"] > 48 << 10:  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.need(Kernel.driver.cuFuncSetAttribute(self.function, 8, plan["dynamic_shared_bytes"]), "cuFuncSetAttribute")
        self.values = [self.value(argument, tensors) for argument in plan["arguments"]]
        self.arguments = (ctypes.c_void_p * len(self.values))(*(ctypes.addressof(x) for x in self.values))

    def value(self, argument, tensors):
        if "tensor" not in argument:
            return self.TYPES[argument["type"]](argument["scalar"])
        tensor = tensors.get(argument["tensor"])
        return ctypes.c_void_p(None if tensor is None else tensor.data_ptr())

    @staticmethod
    def need(status, what):
        if status:
            give_up(f"{what}: CUresult {status}")

    def launch(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.need(Kernel.driver.cuLaunchKernel(self.function, *self.shape, stream, self.arguments, None), "cuLaunchKernel")


class Tuned:
    """asctune's answers for some sizes of an operator."""

    def __init__(self, asctune, name, sizes, options, folder):
        """`sizes` are numbers of tokens; None is the large problem."""
        self.asctune, self.name, self.folder = asctune, name, folder
        operator = OPERATORS[name]
        self.workload, self.db = WORKLOADS / f"{name}.json", options.db or folder / f"{name}.db"
        self.cache = {**os.environ, "ASCTUNE_CACHE_DIR": str(options.cache or folder / "cache")}
        tokens = [x for x in sizes if x is not None]
        wanted = [[options.large_budget]] if None in sizes else []
        if tokens:
            wanted.append([options.budget, "--dims", f"{operator.tokens}={','.join(map(str, tokens))}"])
        self.answers = {}
        for problems in wanted:
            for line in self.lines("run", "--problem", operator.large, "--device", "cuda", "--db", self.db, *(["--impl", options.impl] if options.impl else []), "--budget", *problems):
                if line["type"] == "summary":
                    self.keep(line)

    def keep(self, summary):
        if not summary.get("best"):
            give_up(f"{self.name}: no configuration passed for {summary.get('problem')}")
        best = summary["best"]
        self.answers[summary["problem"]] = best["implementation"], best["config_key"], summary.get("trials"), best["median_ns"] * 1e-3

    def lines(self, *words):
        done = subprocess.run([self.asctune, words[0], self.workload, *map(str, words[1:]), "--json"], env=self.cache, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            give_up(f"{' '.join(map(str, words))}: exit status {done.returncode}: {done.stderr.strip()[-1500:]}")
        return [json.loads(line) for line in done.stdout.splitlines() if line]

    def launch(self, case):
        """A call that launches a case's best configuration."""
        implementation, config, *_ = self.answers[case.problem()]
        output = self.folder / f"{self.name}-{case.problem()}"
        self.lines("build", "--problem", case.problem(), "--impl", implementation, "--config", config, "--device", "cuda", "--output", output)
        plans = [json.loads(path.read_text()) for path in sorted(output.glob("*.json"))]
        if len(plans) != 1:
            give_up(f"{case.title()}: asctune build wrote {len(plans)} configurations")
        kernels = [Kernel(plan, output, {**case.inputs, **case.outputs}) for plan in plans[0]["kernels"]]
        return lambda: [kernel.launch() for kernel in kernels]


# ---- rounds ----


class Clock:
    """Times of launches by CUPTI's records, those of all sides in the same rounds, each with a cache that has none of its tensors."""

    def __init__(self):
        import operators_kernels as kernels

        self.kernels, self.block = kernels, 1024
        self.cold = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size // 4 // self.block * self.block, device="cuda", dtype=torch.int32)
        self.turn = 0

    def flush(self):
        self.turn += 1
        self.kernels.operators_flush[(self.cold.numel() // self.block,)](self.cold, self.turn, BLOCK=self.block)

    def empty(self):
        self.kernels.operators_empty[(1,)](self.cold)

    def move_visible(self, x, out):
        """What causal_softmax reads and writes of square matrices, without its arithmetic."""
        rows, columns = x.shape[-2:]
        self.kernels.operators_visible[(rows,)](x, out, COLUMNS=columns, num_warps=4)

    def race(self, sides, rounds):
        """{side: microseconds of each round}, {side: kernels of a call}; a call's time is the sum of its records."""
        for call in [*sides.values()] * 3:
            self.flush()
            call()
        torch.cuda.synchronize()
        order = []
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(rounds):
                for name in random.sample(list(sides), len(sides)):
                    self.flush()
                    sides[name]()
                    order.append(name)
                torch.cuda.synchronize()
        times, kernels = {name: [] for name in sides}, {name: set() for name in sides}
        for name, records in zip(order, self.parts(profile, len(order))):
            times[name].append(sum(duration for _, duration in records))
            kernels[name].add(tuple(kernel for kernel, _ in records))
        for name, seen in kernels.items():
            if len(seen) != 1 or seen == {()}:
                give_up(f"{name}: its calls are not recorded as the same kernels: {seen}")
        return times, {name: next(iter(seen)) for name, seen in kernels.items()}

    @staticmethod
    def parts(profile, wanted):
        """The records between two flushes: (name, microseconds) of each."""
        on_device = [e for e in profile.profiler.kineto_results.events() if e.device_type() == torch.autograd.DeviceType.CUDA]
        found = []
        for event in sorted(on_device, key=lambda e: e.start_ns()):
            if "operators_flush" in event.name():
                found.append([])
            elif found:
                found[-1].append((event.name(), event.duration_ns() * 1e-3))
        if len(found) != wanted:
            give_up(f"the profiler recorded {len(found)} of {wanted} flushes")
        return found


def ratio(times, of, to):
    """Median over the rounds of one side's time by another's."""
    return statistics.median(a / b for a, b in zip(times[of], times[to]))


def geometric_mean(ratios):
    return math.exp(statistics.mean(map(math.log, ratios)))


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.limits = options, folder, Limits()
        self.asctune, self.clock = program(), Clock()
        need_device(self.asctune, "cuda")
        self.small, self.rows = {}, []

    def sides(self, case, tuned):
        """What takes part in the rounds of a case, checked for the same results."""
        ours = tuned.launch(case)
        torch._dynamo.reset()
        compiled = torch.compile(case.operator.compute, dynamic=False)
        own = lambda: {name: tensor.clone() if name in case.outputs else tensor for name, tensor in case.inputs.items()}  # what is written in place is each side's  # noqa: E731
        inputs, fused = own(), own()
        sides = {"ours": ours, "eager": lambda: case.operator.eager(inputs), "compiled": lambda: compiled(fused)}
        ours()
        for name, tensors in (("eager", sides["eager"]()), ("compiled", sides["compiled"]())):
            worst = case.worst(case.outputs.values(), tensors)
            self.limits.most(f"{case.title()}: difference from {name}, in tolerances", worst, 1)
        if case.tokens is None:
            one, other = (torch.empty(int(case.useful_bytes()) // 4, device="cuda", dtype=torch.int16).fill_(i) for i in (1, 2))
            cloned = torch.compile(lambda x: x.clone(), dynamic=False)
            if case.name == "causal_softmax":
                sides["moved"] = lambda: self.clock.move_visible(*case.inputs.values(), *case.outputs.values())
            sides["copy"], sides["compiled copy"] = (lambda: other.copy_(one)), (lambda: cloned(one))
        else:
            sides["empty"] = self.clock.empty
        return sides

    def measure(self, case, tuned):
        problem = case.problem()
        implementation, config, trials, tuned_us = tuned.answers[problem]
        times, kernels = self.clock.race(self.sides(case, tuned), self.options.rounds if case.tokens else self.options.rounds // 2)
        medians = {name: statistics.median(found) for name, found in times.items()}
        to = {name: ratio(times, name, "ours") for name in times if name != "ours"}
        row = {"operator": case.name, "problem": problem, "tokens": case.tokens, "implementation": implementation, "config": config, "trials": trials, "tuned_us": tuned_us, "us": medians, "ratio": to,
               "tb_s": case.useful_bytes() / medians["ours"] * 1e-6, "kernels": {name: len(found) for name, found in kernels.items()},
               "compiled": list(kernels["compiled"])}
        self.rows.append(row)
        print(f"  {implementation} {config} of {trials}, {tuned_us:.2f} us when tuned; compiled: {', '.join(kernels['compiled'])}")
        print(f"{case.title():32} {medians['ours']:8.2f} us {row['tb_s']:6.3f} TB/s  " + "  ".join(
            f"{name} {medians[name]:.2f} us ({value:.3f})" for name, value in to.items()), flush=True)
        self.judge(case, medians, to)

    def judge(self, case, medians, to):
        title = case.title()
        if not case.operator.gated:
            self.limits.least(f"{title}: time of compiled / ours", to["compiled"], OTHERS)
        elif case.tokens is None:
            self.limits.least(f"{title}: useful bytes/s beside the better copy", min(to["copy"], to["compiled copy"]), COPY_ROTARY if case.name == "rotary_embedding" else COPY)
            self.limits.least(f"{title}: time of compiled / ours", to["compiled"], COMPILED)
        else:
            self.small.setdefault(case.name, []).append(to)

    def conclude(self):
        """Limits of the small sizes of those that are gated, over all that were measured."""
        for name, cases in self.small.items():
            means = [geometric_mean([to[side] for to in cases]) for side in ("compiled", "eager")]
            print(f"{name}, few tokens: {means[0]:.3f} of compiled's time, {means[1]:.3f} of eager's (geometric means)")
        if self.small:
            cases = [to for found in self.small.values() for to in found]
            self.limits.least("few tokens: time of compiled / ours, geometric mean", geometric_mean([to["compiled"] for to in cases]), COMPILED)
            self.limits.least("few tokens: time of compiled / ours, the worst", min(to["compiled"] for to in cases), WORST)
            self.limits.least("few tokens: time of eager / ours, geometric mean", geometric_mean([to["eager"] for to in cases]), EAGER)


def main(options):
    if not torch.cuda.is_available():
        give_up("torch finds no GPU")
    began = time.monotonic()
    with workplace() as folder:
        bench = Bench(options, folder)
        for name in options.only or OPERATORS:
            sizes = [None, *TOKENS] if OPERATORS[name].gated else [None, TOKENS[2]]
            tuned = Tuned(bench.asctune, name, sizes, options, folder)
            for tokens in sizes:
                bench.measure(Case(name, tokens, "cuda"), tuned)
                torch.cuda.empty_cache()
            print(f"({time.monotonic() - began:.0f} s so far)", flush=True)
        bench.conclude()
        if options.json:
            options.json.write_text("".join(json.dumps(row) + "\n" for row in bench.rows))
    return 1 if bench.limits.missed else 0
