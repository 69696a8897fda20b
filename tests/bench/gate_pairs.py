"""Gates of one kernel whose head has a planted part of work more, or none: how often the verdict is wrong, beside the rule of medians."""
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

import tuning

WORKLOADS = tuning.ROOT / "tests/bench/workloads"
TURNS = 10000  # of the base, in kernels of gates.json
LONGEST_S = 4  # of a gate on a GPU
BUDGET = {"cpu": [], "cuda": ["--budget", "2500ms"]}  # so that it is kept; what is not decided by then is undecided
RULE = 1.05  # what most CI calls slower
SHOWN = ("slower", "faster", "same", "undecided")


class Repository:
    """A checkout with one commit, `tree`, its cache, and a plain copy of what is committed, `base`."""

    def __init__(self, options, folder):
        self.options, self.folder, self.tree, self.base = options, folder, folder / "tree", folder / "base"
        self.env = {name: value for name, value in os.environ.items() if name not in ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_DIFF_BASE_SHA", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")}
        self.env.update(ASCTUNE_CACHE_DIR=str(folder / "cache"), ASCTUNE_DB=str(folder / "gate.db"))
        self.tree.mkdir()

    def git(self, *words):
        subprocess.run(["git", "-C", self.tree, "-c", "user.name=bench", "-c", "user.email=bench@localhost", *words], check=True)

    def commit(self):
        """Commits what is in the tree, the first time as the base."""
        if not (self.tree / ".git").exists():
            self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "kernels")
        shutil.copytree(self.tree, self.base, ignore=shutil.ignore_patterns(".git"))

    def gate(self, *words):
        """Verdicts by (workload, problem), the line of totals, and the wall time."""
        start = time.perf_counter()
        ran = subprocess.run([self.options.asctune, "gate", "--device", self.options.device, "--json", *words], cwd=self.tree, env=self.env, capture_output=True, text=True)
        wall_s = time.perf_counter() - start
        lines = [json.loads(line) for line in ran.stdout.splitlines()]
        if ran.returncode not in (0, 1) or not lines:
            tuning.give_up(f"gate {' '.join(words)} ends with {ran.returncode}: {ran.stderr.strip()[-1000:]}")
        return {(line["workload"], line["problem"]): line for line in lines[:-1]}, lines[-1], wall_s

    def alone(self, folder, problem):
        """Median of a problem's default configuration in a process of its own, ns."""
        ran = subprocess.run([self.options.asctune, "run", folder / "gates.json", "--device", self.options.device, "--problem", problem, "--budget", "1", "--json",
                              "--no-history", "--db", self.folder / "alone.db"], env=self.env, capture_output=True, text=True)
        for line in map(json.loads, ran.stdout.splitlines()):
            if line["type"] == "trial" and line.get("samples_ns"):
                return statistics.median(line["samples_ns"])
        return tuning.give_up(f"{problem} has no time of its own: {ran.stderr.strip()[-1000:]}")


class Planted(Repository):
    """gates.json, with heads that have more turns."""

    def __init__(self, options, folder):
        super().__init__(options, folder)
        shutil.copy(WORKLOADS / "gates.json", self.tree)
        shutil.copytree(WORKLOADS / "gates", self.tree / "gates")
        self.commit()
        problems = json.loads((WORKLOADS / "gates.json").read_text())["problems"]
        self.sizes = {p["name"]: p["dims"]["WORK"] or p["dims"]["N"] for p in problems if options.device in p["devices"]}
        self.parts = {}

    def plant(self, turns):
        """`turns` of each problem; the others have those of the base."""
        table = "".join(f"(size) == {self.sizes[problem]} ? {n}ll : " for problem, n in turns.items())
        for source in (self.tree / "gates").glob("kernel.*"):
            text = (self.base / "gates" / source.name).read_text()
            source.write_text(text.replace(f"(size) {TURNS} ", f"(size) ({table}{TURNS}) ", 1) if turns else text)

    def calibrate(self):
        """What a launch takes beside its turns, its start and its end, has no more of them: finds which part of the time half the turns are."""
        self.plant(dict.fromkeys(self.sizes, TURNS * 3 // 2))
        lines, _, _ = self.gate()
        for problem in self.sizes:
            line = measured(lines, problem)
            self.parts[problem] = 2 * (line["ratio"] - 1)
            if not 0.3 < self.parts[problem] < 1.2:
                tuning.give_up(f"{problem}: half the work again takes {line['ratio']:.3f} times as long")
            print(f"{problem}: {self.alone(self.base, problem) / 1e3:.1f} us, {100 * self.parts[problem]:.1f} % of them by its turns", flush=True)

    def pairs(self, problems, plus_pct, rule):
        """A gate of problems whose heads take so much longer, and, `rule`, what the sides of each take alone."""
        self.plant({problem: TURNS + round(TURNS * plus_pct / 100 / self.parts[problem]) for problem in problems if plus_pct})
        words = [word for problem in problems for word in ("--problem", problem)] + ([] if plus_pct else ["--all"]) + (BUDGET[self.options.device] if len(problems) == 1 else [])
        lines, _, wall_s = self.gate(*words)
        for problem in problems:
            line = measured(lines, problem)
            yield {"device": self.options.device, "problem": problem, "plus_pct": plus_pct, "verdict": line["verdict"], "ratio": line["ratio"], "low": line["low"],
                   "high": line["high"], "processes": line["processes"], "problems": len(problems), "wall_s": round(wall_s, 3),
                   **({"medians": self.alone(self.tree, problem) / self.alone(self.base, problem)} if rule else {})}


def measured(lines, problem):
    line = lines["gates", problem]
    if "ratio" not in line:
        tuning.give_up(f"{problem}: {line['verdict']}: {line.get('head_reason', line.get('base_reason', ''))}")
    return line


@contextlib.contextmanager
def loops(count):
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for p in running:
            p.kill()
            p.wait()


def gates(options, part, rows, rule=False, busy=0):
    """Makes the gates of rows, (percent, number) each, problems and rows in turns; returns all of the tally, by percent."""
    tally = []
    if options.tally and options.tally.exists():
        tally = [json.loads(line) for line in options.tally.read_text().splitlines()]
    with tuning.workplace() as folder:
        repository = Planted(options, folder)
        if any(plus for plus, _ in rows):
            repository.calibrate()
        with loops(busy):
            names = list(repository.sizes)
            done = sum(g["part"] == part and g["device"] == options.device and g["plus_pct"] == rows[0][0] for g in tally)
            at_once = len(names) if options.together else 1
            for n in range(0, max(number for _, number in rows), at_once):
                problems = [names[(done + n + k) % len(names)] for k in range(at_once)]
                for plus in [plus for plus, number in rows if n < number]:
                    found = [{"part": part, **g} for g in repository.pairs(problems, plus, rule)]
                    tally += found
                    if options.tally:
                        with open(options.tally, "a", encoding="utf-8") as file:
                            file.writelines(json.dumps(g) + "\n" for g in found)
    mine = [g for g in tally if g["part"] == part and g["device"] == options.device]
    by_plus = {plus: [g for g in mine if g["plus_pct"] == plus] for plus, _ in rows}
    for plus, of in by_plus.items():
        say(plus, of)
    return by_plus


def count(of, *verdicts):
    return sum(g["verdict"] in verdicts for g in of)


def say(plus, of):
    walls_s = [g["wall_s"] for g in of]
    verdicts = ", ".join(f"{count(of, v)} {v}" for v in (*SHOWN, *sorted({g["verdict"] for g in of} - set(SHOWN))) if count(of, v))
    print(f"+{plus:g} %: {verdicts} of {len(of)} gates; {statistics.mean(len(g['processes']) for g in of):.1f} processes, {statistics.median(walls_s):.2f} s, at most"
          f" {max(walls_s):.2f} s; by process {', '.join(f'{100 * (r - 1):+.2f}' for r in spread(of))} % (5, 50 and 95 of 100)", flush=True)
    for g in of:
        wrong = g["verdict"] not in (("same", "undecided") if plus == 0 else ("slower",))
        if wrong:
            print(f"      {g['problem']}: {g['verdict']}, {100 * (g['ratio'] - 1):+.2f} % ({100 * (g['low'] - 1):.2f} to {100 * (g['high'] - 1):.2f}):"
                  f" {', '.join(f'{100 * (r - 1):+.2f}' for r in g['processes'])}", flush=True)


def spread(of):
    ratios = sorted(r for g in of for r in g["processes"])
    return [ratios[int(len(ratios) * part)] for part in (0.05, 0.5, 0.95)]


def allowed(of, one_in):
    """Number of wrong gates that a limit of 1 in so many allows: 1, where fewer were made."""
    return max(1, len(of) // one_in)


def walls(options, limits, by_plus):
    walls_s = [g["wall_s"] for of in by_plus.values() for g in of if g["problems"] == 1]
    if options.device == "cuda" and walls_s:
        limits.most("cuda: s of the longest gate of one problem", max(walls_s), LONGEST_S)


def aa(options, limits):
    found = gates(options, "aa", [(0, options.gates or 200)])
    limits.most(f"{options.device}: equal code, slower of {len(found[0])}", count(found[0], "slower"), allowed(found[0], 200))
    walls(options, limits, found)


def planted(options, limits):
    least = {1: 0.80, 2: 0.99, 5: 1}
    found = gates(options, "planted", [(plus, options.gates or 100) for plus in options.plus or least])
    for plus, of in found.items():
        limits.least(f"{options.device}: +{plus:g} %, part that is slower of {len(of)}", count(of, "slower") / len(of), least.get(plus, 0))
    walls(options, limits, found)


def busy(options, limits):
    n = options.gates or 100
    found = gates(options, "busy", [(0, n), (5, n)], busy=2)
    limits.most(f"busy: equal code, slower of {len(found[0])}", count(found[0], "slower"), allowed(found[0], 100))
    five = len(found[5])
    limits.least(f"busy: +5 %, part that is found or undecided of {five}", count(found[5], "slower", "undecided") / five, 0.95)
    limits.most("busy: +5 %, part that is undecided", count(found[5], "undecided") / five, 0.2)
    limits.most("busy: +5 %, called same or faster", count(found[5], "same", "faster"), 0)


def rule(options, limits):
    n = options.gates or 40
    found = gates(options, "rule-busy" if options.busy else "rule", [(0, n), (2, n), (5, n)], rule=True, busy=2 if options.busy else 0)
    ours, theirs = [0, 0], [0, 0]
    for plus, of in found.items():
        alarms = [count(of, "slower"), sum(g["medians"] > RULE for g in of)]
        print(f"+{plus:g} %: slower of {len(of)}: gate {alarms[0]}, medians beyond 5 % {alarms[1]}; ratio of medians "
              f"{100 * (min(g['medians'] for g in of) - 1):+.1f} to {100 * (max(g['medians'] for g in of) - 1):+.1f} %", flush=True)
        for side, alarm in zip((ours, theirs), alarms):
            side[plus > 0] += len(of) - alarm if plus else alarm
    limits.most("false alarms of the gate, beside those of the rule", ours[0], theirs[0])
    limits.most("misses of the gate, beside those of the rule", ours[1], theirs[1])
