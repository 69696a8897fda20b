"""Compiles the workloads' Triton kernels for GPUs that need not be here: N drawn configurations of each implementation for a problem of
each dtype, on the first target that has some; with --all every configuration of every problem on each. Prints TAP; a check is one
implementation, problem and target.

tests/kernels/compile.py ASCTUNE N|--all [--target sm_80,sm_90] [--impl WORKLOAD/IMPLEMENTATION] [--problem NAME]. Needs triton; no GPU.
Shared memory has to be what the workload states, or more: its condition would leave out what fits.
"""
import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
try:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError as e:
    print(f"1..0 # SKIP {e}")
    sys.exit(0)
from workload import ROOT, Problem, Workload, built_values

OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
TYPES = {"f32": "fp32", "f16": "fp16", "bf16": "bf16", "i64": "i64", "i32": "i32"}
NAMES = sorted(file.stem for file in (ROOT / "workloads").glob("*.json") if file.stem != "schema")


def space(asctune, workload, problem, implementation, target, *how):
    """Configurations, as a dictionary each; none where the implementation does not cover the problem."""
    command = [asctune, "space", str(workload.file), "--device", target, "--problem", problem, "--impl", implementation["name"], *how]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.split("\n")
    return [dict(zip(implementation["parameters"], map(json.loads, line.split(",")))) for line in lines if line]


def source_of(problem, implementation, config):
    """What Triton compiles for these sizes, types and configuration: specialised as it does by itself."""
    kernel = problem.workload.kernel(implementation)
    values = {**{name: value for name, value in built_values(implementation, config).items() if name in kernel.arg_names}, **problem.constants(implementation, config)}
    signature, attributes = {}, {}
    stated = iter(implementation["arguments"])
    for i, parameter in enumerate(kernel.params):
        if parameter.is_constexpr:
            signature[parameter.name] = "constexpr"
            continue
        a = next(stated)
        if "tensor" in a and not problem.is_there(a["tensor"]):
            signature[parameter.name], values[parameter.name] = "constexpr", None
        elif "tensor" in a:
            signature[parameter.name] = f"*{TYPES[problem.dtype_of(a['tensor'])]}"
            attributes[(i,)] = [["tt.divisibility", 16]]
        elif "tensor_map" in a:
            box = ",".join(str(problem.evaluate(size, config)) for size in a["tensor_map"]["box"])
            signature[parameter.name] = f"tensordesc<{TYPES[problem.dtypes['T']]}[{box}]>"
        else:
            value = problem.blocks(implementation, config) if "builtin" in a else problem.evaluate(a["scalar"], config)
            real = a.get("type") in ("f32", "f64")
            signature[parameter.name] = "fp32" if real else "i32"
            if real:
                continue
            if value == 1:
                signature[parameter.name], values[parameter.name] = "constexpr", 1
            elif value % 16 == 0:
                attributes[(i,)] = [["tt.divisibility", 16]]
    return ASTSource(kernel, signature, constexprs=values, attrs=attributes)


class Failures:
    def __init__(self):
        self.count, self.seen = 0, []

    def add(self, config, reason):
        self.count += 1
        if len(self.seen) < 3:
            self.seen.append(f"{config}: {reason.strip().splitlines()[-1][:200]}")


def build(problem, implementation, config, target, failures):
    options = {name: value for name, value in config.items() if name in OPTIONS and (value or name != "maxnreg")}
    try:
        source = source_of(problem, implementation, config)
        compiled = triton.compile(source, target=GPUTarget("cuda", int(target[3:]), 32), options={**options, "enable_fp_fusion": True})
    except Exception as e:  # whatever Triton refuses it with is a failure
        failures.add(config, f"{type(e).__name__}: {e}")
        return
    stated = problem.evaluate(implementation.get("memory", {}).get("shared", 0), config)
    if compiled.metadata.shared < stated:
        failures.add(config, f"{compiled.metadata.shared} bytes of shared memory, at least {stated} are stated")


def checks(options):
    """Implementations with the problems to compile them for, and targets."""
    compiled = set()
    for name in NAMES:
        workload = Workload(name)
        for implementation, problem in itertools.product(workload.implementations(), workload.content["problems"]):
            if any(isinstance(size, list) for size in problem["dims"].values()):
                continue  # ladders have the types of other problems
            covered = "cuda" in problem.get("devices", ["cuda"]) and "cuda" in implementation["devices"]
            if not covered or options.problem not in (None, problem["name"]) or options.impl not in (None, f"{name}/{implementation['name']}"):
                continue
            for target in options.target.split(","):
                what = name, implementation["name"], problem["dtypes"]["T"]
                if what in compiled and not options.all:
                    continue
                configs = configurations(options, workload, problem, implementation, target)
                if configs:
                    compiled.add(what)
                    yield workload, implementation, problem, target, configs


def configurations(options, workload, problem, implementation, target):
    return space(options.asctune, workload, problem["name"], implementation, target, *(["--list"] if options.all else ["--sample", options.number]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("asctune")
    parser.add_argument("number", nargs="?", default="1")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--target", default="sm_80,sm_90")
    parser.add_argument("--impl")
    parser.add_argument("--problem")
    options = parser.parse_args()
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    n = failed = 0
    for workload, implementation, stated, target, configs in checks(options):
        problem = Problem(workload, stated["dims"], stated["dtypes"], int(target[3:]))
        failures = Failures()
        for config in configs:
            build(problem, implementation, config, target, failures)
        n += 1
        failed += failures.count > 0
        name = f"{workload.content['name']}/{implementation['name']} {stated['name']} {target}"
        print(f"{'not ok' if failures.count else 'ok'} {n} - {name}: {len(configs)} configurations, {failures.count} failures", flush=True)
        for reason in failures.seen:
            print(f"# {reason}", flush=True)
    print(f"1..{n}")
    shutil.rmtree(os.environ["TRITON_CACHE_DIR"])
    return failed > 0


sys.exit(main())
