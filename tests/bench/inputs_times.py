"""Kernel times of default configurations beside those that another build says, on a GPU."""
import json
import os
import statistics
import subprocess

import tuning
from inputs_honest import base_program

WITHIN, WORST = 0.005, 0.02
TICKS_NS = 64  # two steps of the clock of an H200, which are 5 % of the shortest kernels
BUILDERS = ("nvrtc", "vendor")  # no Python: another build may have no functions, and other compilers


def spread(problems, most):
    """At most so many of them, from the first to the last."""
    n = min(most, len(problems))
    return [problems[k * (len(problems) - 1) // max(1, n - 1)] for k in range(n)]


def medians(program, path, problems, trials, folder):
    """{(problem, implementation): median of its samples}, of one `asctune run`."""
    command = [program, "run", path, "--device", "cuda", "--budget", str(trials), "--no-history", "--db", folder / "run.db", "--json",
               *(part for problem in problems for part in ("--problem", problem))]
    (folder / "run.db").unlink(missing_ok=True)
    found, problem = {}, None
    ran = subprocess.run(list(map(str, command)), env=dict(os.environ, ASCTUNE_CACHE_DIR=str(folder / "cache")), capture_output=True, text=True)
    for line in map(json.loads, ran.stdout.splitlines()):
        problem = line["problem"] if line["type"] == "run" else problem
        if line["type"] == "trial" and line.get("samples_ns"):
            found[problem, line["implementation"]] = statistics.median(line["samples_ns"])
    if not found:
        tuning.give_up(f"{' '.join(map(str, command))}: {ran.stderr.strip()[-1500:]}")
    return found


def times(options, limits):
    (base, workloads), ratios, apart = base_program(), {}, [0]
    with tuning.workplace() as folder:
        for path in sorted(workloads.glob("*.json")):
            workload = json.loads(path.read_text())
            names = [i["name"] for i in workload.get("implementations", []) if "cuda" in i.get("devices", ["cuda"]) and i.get("builder") in BUILDERS]
            problems = spread([p["name"] for p in workload.get("problems", []) if "cuda" in p.get("devices", ["cuda"])], options.problems)
            if not names or not problems or path.stem not in (options.only or [path.stem]):
                continue
            narrowed = tuning.narrow(path, folder / path.stem, dict.fromkeys(names, "1 == 1"))
            taken = {base: [], options.asctune: []}
            for n in range(options.rounds):
                for program in sorted(taken, key=lambda p: (p == base) == n % 2):
                    side = folder / f"side-{program == base}"
                    side.mkdir(exist_ok=True)
                    taken[program].append(medians(program, narrowed, problems, len(names), side))
            for key in set.intersection(*(set(found) for rows in taken.values() for found in rows)):
                old, new = (statistics.median(found[key] for found in taken[program]) for program in (base, options.asctune))
                ratios[path.stem, *key] = new / old
                apart += [abs(1 - new / old)] if abs(new - old) > TICKS_NS else []
                print(f"{path.stem}/{key[0]} {key[1]}: {new / 1e3:.2f} us, {old / 1e3:.2f} of the base: {new / old:.4f}", flush=True)
    if not ratios:
        tuning.give_up("no problem was timed by both")
    limits.most(f"times: of {len(ratios)}, |1 - median of new to old|", abs(1 - statistics.median(ratios.values())), WITHIN)
    limits.most(f"times: |1 - new to old|, the worst of those more than {TICKS_NS} ns apart", max(apart), WORST)


PARTS = {"times": times}
