"""Parts of tests/bench/library_calls that need a GPU and a Python with torch there."""
import json
import math
import os
import pathlib
import statistics
import subprocess

import tuning

OPERATORS = {"rms_norm": "square-8k-bf16", "add_rms_norm": "square-8k-bf16", "softmax": "square-8k-bf16", "silu_and_mul": "large-bf16", "causal_softmax": "square-8k-bf16",
             "rotary_embedding": "tokens-8k-bf16"}  # and the large problem of each
TOKENS = {"causal_softmax": "Q"}  # its dimension of tokens; default M
LANDED = {"rms_norm": "llama-8b-16k", "softmax": "square-8k-bf16", "gemm": "square-4096-bf16", "sdpa": None}  # None: the first large problem of the file
MEAN, WORST, SMALL_NS, LARGE, HOST = 0.003, 0.01, 64, 0.01, 0.10


def trials(options, folder, workload, problem, *words, plain=False):
    """The trial lines of one `asctune run` on the GPU; of a plain worker where no Python is named."""
    (folder / "run.db").unlink(missing_ok=True)
    python = [] if plain else ["--python", options.python]
    command = [options.asctune, "run", workload, "--problem", problem, "--device", "cuda", "--db", folder / "run.db", "--no-history", "--json", *python, *words]
    environment = {name: value for name, value in os.environ.items() if name != "ASCTUNE_PYTHON"}
    done = subprocess.run(list(map(str, command)), env=dict(environment, ASCTUNE_CACHE_DIR=str(folder / "cache")), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        tuning.give_up(f"{' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr.strip()[-1500:]}")
    return [line for line in map(json.loads, done.stdout.splitlines()) if line["type"] in ("trial", "summary")]


def median_ns(lines, implementation):
    """Of one implementation's samples."""
    found = [line for line in lines if line["type"] == "trial" and line["implementation"] == implementation and line.get("samples_ns")]
    if not found:
        tuning.give_up(f"{implementation} was not timed: {[(x.get('status'), x.get('reason')) for x in lines if x.get('implementation') == implementation]}")
    return statistics.median(found[-1]["samples_ns"])


def metric(lines, implementation, name):
    """kernel.`name` of an implementation's configuration."""
    for line in lines:
        for found in line.get("metrics", []) if line["type"] == "trial" and line["implementation"] == implementation else []:
            if (found["probe"], found["name"]) == ("kernel", name):
                return found["value"]
    tuning.give_up(f"{implementation} has no metric kernel.{name}")


def large_problem(workload):
    """The problem of a GPU's with the most operations that names no list of sizes."""
    return next(p["name"] for p in reversed(workload["problems"]) if "cuda" in p.get("devices", ["cuda"]) and not any(isinstance(x, list) for x in p["dims"].values()))


def worker(options, limits):
    ratios = {}
    with tuning.workplace() as folder:
        for name in options.only or LANDED:
            path = tuning.WORKLOADS / f"{name}.json"
            workload = json.loads(path.read_text())
            problem = LANDED.get(name) or large_problem(workload)
            kernels = [i["name"] for i in workload["implementations"] if "cuda" in i.get("devices", ["cuda"]) and i.get("builder", "vendor") not in ("python", "vendor") and "calls" not in i]
            tuned = trials(options, folder, tuning.narrow(path, folder / f"{name}-tuned", dict.fromkeys(kernels, "1 == 1")), problem, "--budget", "20s")
            best = next(line["best"] for line in tuned if line["type"] == "summary")
            one = {best["implementation"]: " and ".join(f"{key} == {value!r}" for key, value in best["config"].items()) if isinstance(best["config"], dict)
                   else tuning.any_of([tuning.config_of(best["config"])])}
            plain, mixed = (tuning.narrow(path, folder / f"{name}-{side}", rows) for side, rows in (("plain", one), ("mixed", {**one, "eager": "1 == 1"})))
            pairs = [[median_ns(trials(options, folder, side, problem, "--budget", 4, plain=side is plain), best["implementation"]) for side in (plain, mixed)]
                     for _ in range(options.rounds)]
            ratios[name] = statistics.median(with_torch / without for without, with_torch in pairs)
            limits.most(f"{name}: |1 - time in a Python with torch / in a plain worker|", abs(1 - ratios[name]), WORST)
    mean = math.exp(statistics.mean(map(math.log, ratios.values())))
    limits.most("geometric mean: |1 - time in a Python with torch / in a plain worker|", abs(1 - mean), MEAN)


def profiled(options, workload, problem, tokens, implementation):
    """{sum_ns, span_ns, host_ns, kernels} of torch.profiler, in a process of its own."""
    script = pathlib.Path(__file__).with_name("library_calls_profile.py")
    done = subprocess.run([options.python, script, workload, problem, str(tokens or ""), implementation], capture_output=True, text=True)
    if done.returncode:
        tuning.give_up(f"torch.profiler, {workload} {implementation}: {done.stderr.strip()[-1500:]}")
    return json.loads(done.stdout.splitlines()[-1])


def profiler(options, limits):
    with tuning.workplace() as folder:
        for name in options.only or OPERATORS:
            both = tuning.narrow(tuning.WORKLOADS / f"{name}.json", folder / name, {"eager": "1 == 1", "compiled": "1 == 1"})
            for tokens in (None, 16):
                words = ["--dims", f"{TOKENS.get(name, 'M')}={tokens}"] if tokens else []
                ours, theirs = [], {"eager": [], "compiled": []}
                for _ in range(options.rounds):
                    ours.append(trials(options, folder, both, OPERATORS[name], "--budget", 4, *words))
                    for implementation, found in theirs.items():
                        found.append(profiled(options, name, OPERATORS[name], tokens, implementation))
                for implementation, found in theirs.items():
                    compare(limits, f"{name} {implementation} {tokens or 'large'}", implementation, ours, found)


def compare(limits, title, implementation, ours, theirs):
    """Sum, span and host's time of one side beside the other's, medians over the rounds."""
    sides = {
        "span_ns": statistics.median(median_ns(lines, implementation) for lines in ours),
        "sum_ns": statistics.median(metric(lines, implementation, "kernels_ns") for lines in ours),
        "host_ns": statistics.median(metric(lines, implementation, "host_ns") for lines in ours),
    }
    for which, found in sides.items():
        wanted = statistics.median(side[which] for side in theirs)
        if which == "host_ns" and title.endswith("large"):
            continue  # a loop waits for the device there
        if which == "host_ns":
            limits.most(f"{title}: |1 - host_ns / a loop's|", abs(1 - found / wanted), HOST)
        elif title.endswith("large"):
            limits.most(f"{title}: |1 - {which} / the profiler's|", abs(1 - found / wanted), LARGE)
        else:
            limits.most(f"{title}: ns of {which} beside the profiler's", abs(found - wanted), SMALL_NS)


def cublaslt(options, limits):
    with tuning.workplace() as folder:
        path = tuning.WORKLOADS / "gemm.json"
        both = tuning.narrow(path, folder / "gemm", {"eager": "1 == 1", "cublaslt": "1 == 1"})
        for problem in [p["name"] for p in json.loads(path.read_text())["problems"] if "cuda" in p["devices"] and p["dtypes"]["T"] != "f32"]:
            lines = trials(options, folder, both, problem, "--budget", 8)
            kernels = [sorted(line["kernels"]) for name in ("eager", "cublaslt") for line in lines if line["type"] == "trial" and line["implementation"] == name and line.get("kernels")]
            if len(kernels) == 2 and kernels[0] != kernels[1]:
                print(f"gemm {problem}: {kernels[0]} and {kernels[1]}: nothing to compare")
                continue
            eager, library = (median_ns(lines, name) for name in ("eager", "cublaslt"))
            limits.most(f"gemm {problem}: |1 - torch.matmul / cublaslt|", abs(1 - eager / library), LARGE)
