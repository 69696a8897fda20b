"""Kernel times of default configurations beside those that another build says, on a GPU."""
import json
import os
import statistics
import subprocess

import tuning
from inputs_honest import base_program, spread

WITHIN, WORST = 0.005, 0.02
TICKS_NS = 64  # two steps of the clock of an H200, which are 5 % of the shortest kernels
BUILDERS = ("nvrtc", "vendor")  # no Python: another build may have no functions, and other compilers


def medians(program, path, problems, trials, folder, **environment):
    """{(problem, implementation): median of its samples}, of one `asctune run`."""
    command = [program, "run", path, "--device", "cuda", "--budget", str(trials), "--no-history", "--db", folder / "run.db", "--json",
               *(part for problem in problems for part in ("--problem", problem))]
    (folder / "run.db").unlink(missing_ok=True)
    found, problem = {}, None
    ran = subprocess.run(list(map(str, command)), env=dict(os.environ, ASCTUNE_CACHE_DIR=str(folder / "cache"), **environment), capture_output=True, text=True)
    for line in map(json.loads, ran.stdout.splitlines()):
        problem = line["problem"] if line["type"] == "run" else problem
        if line["type"] == "trial" and line.get("samples_ns"):
            found[problem, line["implementation"]] = statistics.median(line["samples_ns"])
    if not found:
        tuning.give_up(f"{' '.join(map(str, command))}: {ran.stderr.strip()[-1500:]}")
    return found


def compare(options, base, path, problems, trials, folder, **environment):
    """{(problem, implementation): times, of the base and new}, medians of runs in turns."""
    taken = {base: [], options.asctune: []}
    for n in range(options.rounds):
        for program in sorted(taken, key=lambda p: (p == base) == n % 2):
            side = folder / f"side-{program == base}"
            side.mkdir(exist_ok=True)
            taken[program].append(medians(program, path, problems, trials, side, **environment))
    keys = set.intersection(*(set(found) for rows in taken.values() for found in rows))
    return {key: [statistics.median(found[key] for found in rows) for rows in taken.values()] for key in keys}


def is_beyond(old, new):
    return abs(new - old) > TICKS_NS and abs(1 - new / old) > WORST


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
            found = compare(options, base, narrowed, problems, len(names), folder)
            beyond = sorted({problem for (problem, _), pair in found.items() if is_beyond(*pair)})
            # Builds take records from CUPTI in different ways, and one of 19 us is 3 % shorter behind a forced flush: a kernel that has changed takes another time by events, too.
            witness = compare(options, base, narrowed, beyond, len(names), folder, ASCTUNE_CUDA_CLOCK="event") if beyond else {}
            for key, (old, new) in found.items():
                ratios[path.stem, *key] = new / old
                said = ""
                if is_beyond(old, new) and key in witness:
                    by_events = witness[key][1] / witness[key][0]
                    apart.append(min(abs(1 - new / old), abs(1 - by_events)))
                    said = f"; by events {by_events:.4f}"
                elif abs(new - old) > TICKS_NS:
                    apart.append(abs(1 - new / old))
                print(f"{path.stem}/{key[0]} {key[1]}: {new / 1e3:.2f} us, {old / 1e3:.2f} of the base: {new / old:.4f}{said}", flush=True)
    if not ratios:
        tuning.give_up("no problem was timed by both")
    limits.most(f"times: of {len(ratios)}, |1 - median of new to old|", abs(1 - statistics.median(ratios.values())), WITHIN)
    limits.most(f"times: |1 - new to old|, by records and by events, the worst of those more than {TICKS_NS} ns apart", max(apart), WORST)


PARTS = {"times": times}
