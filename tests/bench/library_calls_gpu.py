"""Parts of tests/bench/library_calls that need a GPU and a Python with torch there."""
import json
import os
import pathlib
import statistics
import subprocess

import tuning
from library_calls_workers import compare_workers, median_ns, trials

OPERATORS = {"rms_norm": "square-8k-bf16", "add_rms_norm": "square-8k-bf16", "softmax": "square-8k-bf16", "silu_and_mul": "large-bf16", "causal_softmax": "square-8k-bf16",
             "rotary_embedding": "tokens-8k-bf16"}  # and the large problem of each
TOKENS = {"causal_softmax": "Q"}  # its dimension of tokens; default M
LANDED = {"rms_norm": "llama-8b-16k", "softmax": "square-8k-bf16", "gemm": "square-4k-bf16", "sdpa": None}  # None: the first large problem of the file
SMALL_NS, LARGE, HOST = 64, 0.01, 0.10


def metric(lines, implementation, name):
    """kernel.`name` of an implementation's configuration."""
    for line in lines:
        for found in line.get("metrics", []) if line["type"] == "trial" and line["implementation"] == implementation else []:
            if (found["probe"], found["name"]) == ("kernel", name):
                return found["value"]
    tuning.give_up(f"{implementation} has no metric kernel.{name}")


def worker(options, limits):
    compare_workers(options, limits, "cuda", LANDED)


def profiled(options, *words, cache=None):
    """Runs library_calls_profile.py in a process of its own, and reads what it says; of what torch.compile has made, and tried out, for workers with that cache: which of several kernels
    is the fastest there is found once, and may be another one elsewhere."""
    script = pathlib.Path(__file__).with_name("library_calls_profile.py")
    compiled = {name: str(path) for name, part in (("TORCHINDUCTOR_CACHE_DIR", "inductor"), ("TRITON_CACHE_DIR", "triton")) for path in (cache.glob(f"python/*/{part}") if cache else ())}
    done = subprocess.run([options.python, script, *map(str, words)], env={**os.environ, **compiled}, capture_output=True, text=True)
    if done.returncode:
        tuning.give_up(f"torch.profiler, {' '.join(map(str, words))}: {done.stderr.strip()[-1500:]}")
    return json.loads(done.stdout.splitlines()[-1])


def profiler(options, limits):
    with tuning.workplace() as folder:
        for name in options.only or OPERATORS:
            both = tuning.narrow(tuning.WORKLOADS / f"{name}.json", folder / name, {"eager": "1 == 1", "compiled": "1 == 1"})
            for tokens in (16,) if options.small else (16, None):
                words = ["--dims", f"{TOKENS.get(name, 'M')}={tokens}"] if tokens else []
                ours, theirs = [], []
                for _ in range(options.rounds):
                    ours.append(trials(options, folder, "cuda", both, OPERATORS[name], "--budget", 4, *words))
                    theirs.append(profiled(options, "operator", name, OPERATORS[name], tokens or "", cache=folder / "cache"))
                for implementation in ("eager", "compiled"):
                    compare(limits, f"{name} {implementation} {tokens or 'large'}", implementation, ours, [found[implementation] for found in theirs])


def compare(limits, title, implementation, ours, theirs):
    """Sum, span and host's time of one side beside the other's, medians over the rounds, whose least and largest are printed with each."""
    sides = {
        "span": [median_ns(lines, implementation) for lines in ours],
        "sum": [metric(lines, implementation, "kernels_ns") for lines in ours],
        "host": [metric(lines, implementation, "host_ns") for lines in ours],
    }
    for which, rounds in sides.items():
        others = [side[f"{which}_ns"] for side in theirs]
        found, wanted = statistics.median(rounds), statistics.median(others)
        said = f"{title}: {which} {spread(rounds)} ns, {spread(others)} of {'a loop' if which == 'host' else 'the profiler'}"
        if which == "host" and title.endswith("large"):
            continue  # a loop waits for the device there
        if which == "host":
            limits.most(f"{said}: |1 - ratio|", abs(1 - found / wanted), HOST)
        elif title.endswith("large"):
            limits.most(f"{said}: |1 - ratio|", abs(1 - found / wanted), LARGE)
        else:
            limits.most(f"{said}: ns apart", abs(found - wanted), SMALL_NS)


def spread(ns):
    return f"{statistics.median(ns):.0f} ({min(ns):.0f}-{max(ns):.0f})"


def cublaslt(options, limits):
    """torch.matmul beside the library's first choice, where that is the kernel that torch.matmul has, in the same rounds: from the search to the finals a GPU's power
    changes by more than the limit."""
    with tuning.workplace() as folder:
        path = tuning.WORKLOADS / "gemm.json"
        both = tuning.narrow(path, folder / "gemm", {"eager": "1 == 1", "cublaslt": "ALGORITHM + TILE + STAGES + SPLIT_K == 0"})
        for problem in json.loads(path.read_text())["problems"]:
            if "cuda" not in problem["devices"] or problem["dtypes"]["T"] == "f32" or problem["name"] not in (options.only or [problem["name"]]):
                continue
            names = profiled(options, "matmul", *(problem["dims"][dim] for dim in "MNK"), {"f16": "float16", "bf16": "bfloat16"}[problem["dtypes"]["T"]])
            if names["default"] != names["cublaslt"]:
                print(f"gemm {problem['name']}: {' '.join(names['default'])} and {' '.join(names['cublaslt'])}: nothing to compare")
                continue
            lines = trials(options, folder, "cuda", both, problem["name"], "--budget", 2)
            found = {row["implementation"]: row["median_ns"] for line in lines if line["type"] == "summary" for row in line["finalists"]}
            if set(found) != {"eager", "cublaslt"}:
                tuning.give_up(f"gemm {problem['name']}: in the finals were {', '.join(found) or 'none'}")
            limits.most(f"gemm {problem['name']}: torch.matmul {found['eager']:.0f} ns, cublaslt {found['cublaslt']:.0f}: |1 - ratio|", abs(1 - found["eager"] / found["cublaslt"]), LARGE)
