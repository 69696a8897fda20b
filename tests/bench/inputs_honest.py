"""What judging costs honest kernels: workloads of the project that must pass, tunings with a seldom race, and wall time beside another build."""
import json
import os
import pathlib
import statistics
import subprocess
import sys

import tuning
from inputs_judge import LANGUAGES, PASSED, Family, Verdicts, languages

LEAST_CONFIGURATIONS = 200
NEVER = {100: 0.99, 1000: 0.80}  # one launch in so many is wrong: part of the tunings in which such a kernel is not the answer
# Kernels of such a race, in turns: rows, and how often they are computed. In C, cold, about 10, 70 and 100 us on two cores of a Xeon; the last one is no faster on warm caches.
RACES = {"c": [(8, 1), (64, 1), (32, 8)], "cuda": [(1024, 1)], "triton": [(1024, 1)]}
MOST_WALL = 1.10
WALL_OPTIONS = ["--budget", "40", "--strategy", "random"]  # the same configurations in each run: a model that goes by times asks for others, which compilers have not built
WALL_PROBLEMS = {"cpu": [("sdpa", "tiny"), ("sdpa", "odd-causal"), ("gemm", "odd"), ("softmax", "odd")],
                 "cuda": [("gemm", "square-4k-bf16"), ("rms_norm", "llama-70b-16k"), ("softmax", "square-8k-bf16")]}
PROBLEMS = 4  # of an implementation, spread over those that it covers
SUFFIXES = {"cpu": (".c",), "cuda": (".cu", ".py")}
ENDS_S = 300  # a run of few configurations


def spread(problems, most):
    """At most so many of them, from the first to the last."""
    n = min(most, len(problems))
    return [problems[k * (len(problems) - 1) // max(1, n - 1)] for k in range(n)]


def kernels(options, kind):
    """(workload, implementation, smoke and odd problems that it covers)."""
    for path in sorted(tuning.WORKLOADS.glob("*.json")):
        if path.stem == "schema" or (options.only and path.stem not in options.only):
            continue
        workload = json.loads(path.read_text())
        small = [p["name"] for p in workload["problems"] if {"smoke", "odd"} & set(p.get("tags", []))]
        said = subprocess.run([options.asctune, "space", path, "--device", kind, "--json"], capture_output=True, text=True).stdout
        spaces = [space for space in map(json.loads, said.splitlines()) if space["valid"] > 0 and space["problem"] in small]
        for i in workload["implementations"]:
            sources = [i.get("source", ""), *(call["source"] for call in i.get("calls", []))]
            problems = spread([space["problem"] for space in spaces if space["implementation"] == i["name"]], PROBLEMS)
            if problems and any(source.endswith(SUFFIXES[kind]) for source in sources):
                yield path, i["name"], problems


def honest(options, limits):
    tried = refused = 0
    with tuning.workplace() as folder:
        for kind in sorted({{"c": "cpu"}.get(language, "cuda") for language in languages(options)}):
            for path, name, problems in kernels(options, kind):
                command = [options.asctune, "run", path, "--device", kind, "--impl", name, "--strategy", "random", "--budget", str(options.trials), "--no-history",
                           "--db", folder / "honest.db", "--json", *(part for problem in problems for part in ("--problem", problem))]
                ran = subprocess.run(command, env=dict(os.environ, ASCTUNE_CACHE_DIR=str(folder / "cache")), capture_output=True, text=True, timeout=len(problems) * ENDS_S)
                last = {}
                problem = None
                for line in map(json.loads, ran.stdout.splitlines()):
                    problem = line["problem"] if line["type"] == "run" else problem
                    if line["type"] == "trial":
                        last[problem, json.dumps(line["config"])] = line
                failed = [(p, line) for (p, _), line in last.items() if line["status"] not in PASSED]
                tried, refused = tried + len(last), refused + len(failed)
                print(f"{kind:5} {path.stem}/{name}: {len(last)} configurations of {', '.join(problems)}: {len(failed)} refused", flush=True)
                for p, line in failed:
                    print(f"      {p}: {tuning.key_of(line['config'])}: {line['status']}: {line.get('reason')}", flush=True)
                if not last:
                    print(f"      {ran.stderr.strip()[-300:]}", flush=True)
    if not options.only:
        limits.least("honest configurations", tried, LEAST_CONFIGURATIONS)
    limits.most(f"honest: refused of {tried} configurations", refused, 0)


def plant_race(one_in, rows, passes, name, language, folder):
    """A copy of the family whose racy kernel is wrong in one launch of `one_in`."""
    family = Family("race")
    for i in family.workload["implementations"]:
        if i["name"] == name:
            i["constants"]["ONE_IN"] = one_in
            i["constants"].update({"PASSES": passes} if "PASSES" in i["constants"] else {})
    for problem in family.workload["problems"]:
        if LANGUAGES[language] in problem["devices"]:
            problem["dims"]["R"] = rows
    folder.mkdir()
    family.plant(folder / "planted")
    return family


def races(options, limits):
    language = next(iter(languages(options)), None) or tuning.give_up("no device of --device is usable here")
    names = [f"{name}{'' if language == 'c' else '-' + language}" for name in ("honest", "cheat-seldom")]
    with tuning.workplace() as folder:
        for one_in, never in NEVER.items():
            kernels = [plant_race(one_in, *shape, names[1], language, folder / f"{one_in}-{k}") for k, shape in enumerate(RACES[language])]
            found = {k: [] for k in range(len(kernels))}  # (chosen, time, launches compared) of each tuning
            for n in range(options.tunings):
                k = n % len(kernels)
                v = Verdicts(options.asctune, kernels[k], language, names, folder / f"{one_in}-{k}", folder / "cache", ["--seed", str(n + 1)])
                if v.chosen is None:
                    tuning.give_up(f"nothing passed: {v.said[-300:]}")
                found[k].append((v.chosen == names[1], *v.compared[names[1]]))
            for k, tunings in found.items():
                if not tunings:
                    continue
                passed = [compared for chosen, _, compared in tunings if chosen]
                say = f", {min(passed)} to {max(passed)} where it is" if passed else ""
                print(f"{RACES[language][k][0]:5} rows: {statistics.median(ns for _, ns, _ in tunings) / 1e3:.1f} us: the answer in {len(passed)} of {len(tunings)};"
                      f" launches compared: median {statistics.median(compared for _, _, compared in tunings):.0f}{say}", flush=True)
            chosen = sum(chosen for tunings in found.values() for chosen, _, _ in tunings)
            limits.least(f"races: 1 launch of {one_in} wrong: not the answer, of {options.tunings} tunings", 1 - chosen / options.tunings, never)


def base_program():
    """$ASCTUNE_BASE, and the workloads of the tree that it was built in, which both run: other versions have other kernels."""
    base = pathlib.Path(os.environ.get("ASCTUNE_BASE") or tuning.give_up("$ASCTUNE_BASE names no other asctune"))
    folder = base.resolve().parents[2] / "workloads"
    return base, folder if folder.exists() else tuning.WORKLOADS


def wall(options, limits):
    base, workloads = base_program()
    kinds = {{"c": "cpu"}.get(language, "cuda") for language in languages(options)}
    with tuning.workplace() as folder:
        for kind in sorted(kinds):
            ratios, sums = [], [0, 0]
            for workload, problem in WALL_PROBLEMS[kind]:
                taken = {program: [] for program in (base, options.asctune)}
                samples = {program: [] for program in taken}  # of the finals, which have more rounds where these do not decide
                for n in range(options.rounds + 1):  # the first one of each builds, and makes references
                    for program in sorted(taken, key=lambda p: (p == base) == n % 2):
                        t = tuning.Tuning(program, workloads / f"{workload}.json", problem, folder / f"cache-{program == base}", "--device", kind, *WALL_OPTIONS)
                        taken[program].append(t.wall_s - t.summary["spent_ns"]["peaks"] * 1e-9)
                        samples[program].append(sum(f["rounds"] for f in t.summary.get("finalists", [])))
                medians = [statistics.median(times[1:]) for times in taken.values()]
                ratios.append(medians[1] / medians[0])
                sums = [a + b for a, b in zip(sums, medians)]
                counts = [statistics.median(n[1:]) for n in samples.values()]
                print(f"{kind:5} {workload}/{problem}: {medians[1]:.2f} s, {medians[0]:.2f} s of the base: {ratios[-1]:.3f}; samples of finals: {counts[1]:.0f}, {counts[0]:.0f}", flush=True)
            print(f"{kind:5} all together: {sums[1]:.2f} s, {sums[0]:.2f} s of the base: {sums[1] / sums[0]:.3f}")
            limits.most(f"wall: {kind}: time of run to that of the base, geometric mean", statistics.geometric_mean(ratios), MOST_WALL)


PARTS = {"honest": honest, "races": races, "wall": wall}
