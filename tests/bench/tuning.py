"""What benchmarks in Python share: asctune's runs, workloads narrowed to some configurations, reasons to give up."""
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKLOADS = ROOT / "workloads"


def give_up(reason):
    """Ends the benchmark: nothing can be measured here, or what was measured is no use. `reason` is one sentence."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {reason}", file=sys.stderr)
    sys.exit(2)


def program(*others):
    """asctune of the build folder that $ASCTUNE_BUILD names, else of build/release, which is brought up to date, `others` with it."""
    for target in ["asctune", *others] if "ASCTUNE_BUILD" not in os.environ else []:
        subprocess.run([ROOT / "ci/build", "release", target], check=True)
    return pathlib.Path(os.environ.get("ASCTUNE_BUILD", ROOT / "build/release")).resolve() / "asctune"


def need_device(asctune, kind):
    """`kind` is what `--device` takes before a colon: cpu, cuda."""
    listed = subprocess.run([asctune, "list", "devices"], capture_output=True, text=True).stdout.splitlines()
    line = next((x for x in listed if x.split()[0] == kind), f"{kind} is not known")
    if line.split()[1] != "yes":
        give_up(f"{kind} is not usable here: {line}")


@contextlib.contextmanager
def workplace():
    """A folder for databases, caches and workloads, removed at the end."""
    with tempfile.TemporaryDirectory(prefix="asctune-bench.") as folder:
        yield pathlib.Path(folder)


def ties(summary):
    """(implementation, key) of the class of ties; the best alone where no finals were held."""
    tied = {(f["implementation"], f["config_key"]) for f in summary.get("finalists", []) if f["tied"]}
    return tied | {(summary["best"]["implementation"], summary["best"]["config_key"])}


class Tuning:
    """One `asctune run` of one problem: its JSON lines, and its wall time in seconds from start to exit.

    `at_s` has the seconds from the start at which the first line of each type came, and the last trial."""

    def __init__(self, asctune, workload, problem, cache, *options, db=None):
        command = [asctune, "run", workload, "--problem", problem, "--json", *map(str, options)]
        with workplace() as folder:
            env = dict(os.environ, ASCTUNE_CACHE_DIR=str(cache))
            with open(folder / "stderr", "w+", encoding="utf-8") as stderr:
                start = time.perf_counter()
                with subprocess.Popen([*command, "--db", db or folder / "run.db"], env=env, stdout=subprocess.PIPE, stderr=stderr, text=True) as process:
                    came = [(time.perf_counter() - start, line) for line in process.stdout]
                self.wall_s = time.perf_counter() - start
                stderr.seek(0)
                said = stderr.read().strip()
        lines = [json.loads(line) for _, line in came]
        self.at_s = {}
        for (at_s, _), line in zip(came, lines):
            self.at_s.setdefault(line["type"], at_s)
            if line["type"] == "trial":
                self.at_s["last trial"] = at_s
        of_type = {kind: [x for x in lines if x["type"] == kind] for kind in ("run", "trial", "summary")}
        self.trials = of_type["trial"]
        if not of_type["summary"] or not of_type["summary"][0].get("best"):
            give_up(f"no configuration passed: {' '.join(map(str, command))}: {said[-2000:]}")
        self.run, self.summary = of_type["run"][0], of_type["summary"][0]
        self.best = self.summary["best"]

    def ties(self):
        return ties(self.summary)

    def finalist(self, key):
        return next((f for f in self.summary.get("finalists", []) if f["config_key"] == key), None)

    def median_ns(self, implementation, key):
        """Of the samples of one configuration; None where it has none."""
        for trial in self.trials:
            if trial["implementation"] == implementation and key_of(trial["config"]) == key and trial.get("samples_ns"):
                return statistics.median(trial["samples_ns"])
        return None

    def search_s(self):
        """Seconds of the run without finals and peaks."""
        spent = self.summary["spent_ns"]
        return (self.summary["wall_ns"] - spent["finals"] - spent["peaks"]) * 1e-9

    def kernel_s(self):
        """Seconds of timed launches of all trials: finals, references and checks are not among them."""
        return sum(sum(t.get("samples_ns", [])) * t.get("launches_per_sample", 1) for t in self.trials) * 1e-9


def key_of(config):
    """A configuration's `config_key`."""
    return ",".join(f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in sorted(config.items()))


def config_of(key):
    truth = {"true": True, "false": False}
    return {name: truth[value] if value in truth else int(value) for name, value in (pair.split("=") for pair in key.split(","))}


def any_of(configs):
    """The condition that holds for these configurations of one space only; what they have in common is said once."""
    name = next(iter(configs[0]))
    values = {}
    for config in configs:
        values.setdefault(config[name], []).append({k: v for k, v in config.items() if k != name})
    return " or ".join(f"{name} == {value}" + (f" and ({any_of(rest)})" if rest[0] else "")
                       for value, rest in values.items())


def narrow(workload, folder, conditions):
    """The workload in `folder` with the implementations of `conditions` alone, each held to one more condition."""
    narrowed = json.loads(workload.read_text())
    narrowed["implementations"] = [i for i in narrowed["implementations"] if i["name"] in conditions]
    narrowed.pop("baseline", None)
    for implementation in narrowed["implementations"]:
        implementation.setdefault("constraints", []).append(conditions[implementation["name"]])
    folder.mkdir(exist_ok=True)
    for sources in filter(pathlib.Path.is_dir, workload.parent.iterdir()):
        if not (folder / sources.name).exists():
            (folder / sources.name).symlink_to(sources)
    path = folder / workload.name
    path.write_text(json.dumps(narrowed))
    return path


class Problem:
    """One problem of a workload and one of its implementations, for what is to be said in another program's words."""

    def __init__(self, workload, problem, implementation, **device):
        self.workload = json.loads(workload.read_text())
        entry = next(p for p in self.workload["problems"] if p["name"] == problem)
        self.dims = entry["dims"]
        self.implementation = next(i for i in self.workload["implementations"] if i["name"] == implementation)
        self.names = dict(self.dims, **entry.get("dtypes", {}), device=types.SimpleNamespace(**device), ceil_div=lambda a, b: -(-a // b),
                          min=min, max=max)

    def value(self, expression, config=None):
        """Of an expression of the workload, which reads as Python's; without sizeof()."""
        return eval(str(expression), {"__builtins__": {}}, {**self.names, **(config or {})})

    def default(self):
        """The key of the implementation's default configuration."""
        return key_of({name: p["default"] for name, p in self.implementation["parameters"].items()})

    def values(self):
        return {name: p["values"] for name, p in self.implementation["parameters"].items()}


def median_ratio(pairs):
    """Median, least and greatest of first / second."""
    ratios = [a / b for a, b in pairs]
    return statistics.median(ratios), min(ratios), max(ratios)
