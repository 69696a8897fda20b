"""Scores a strategy on recorded results beside its limits: search_compare.py ROOT [OPTION...]

A score is that of `asctune replay`: 0 is as good as random search, 1 is the optimum from the start. One setting serves all
files. Exits with 1 where a limit is missed.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from search_left_out import print_left_out
from search_limits import Limits

PEERS = ["diff_evo", "adaptive_tabu_greywolf"]
SIMPLE = ["random", "climb", "anneal", "genetic", "evolve", "tabu"]
PNPOLY = "ktdata_pnpoly__RTX_3090"
MEAN, LOWEST, MEAN_PNPOLY, MEAN_AHEAD, AHEAD = 0.72, 0.35, 0.40, 0.62, 16
HISTORY, SHUFFLED, RATIO = 0.86, -0.05, 1.4
SIMPLE_CPU_S, CPU_S, CPU_ENTRIES = 0.020, 1.0, 4362
QUESTION_MS, QUESTION_P999_MS = 5, 50
TOGETHER = ["convolution_milo__A4000", "convolution_milo__A100"]  # the slower implementation first
SLOWER_PART, LATER_RATIO, WITHIN_PCT = 0.15, 1.5, 2
PATIENCE, SAVED, LOSS = "1%", 0.15, 0.005
ROWS = ["scores", "ahead", "together", "history", "patience", "peers", "cpu", "questions"]
ASKED = ["left-out"]  # rows only where they are asked for


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--strategy", default="model")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--peer-runs", type=int, default=25)
    parser.add_argument("--left-out-runs", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=lambda text: text.split(","), default=ROWS)
    return parser.parse_args()


class Bench:
    def __init__(self, options):
        self.options, self.limits = options, Limits()
        self.build = pathlib.Path(os.environ.get("ASCTUNE_BUILD") or options.root / "build/release")
        self.data = options.root / "tests/data/replay"
        self.files = {self.name(p): p for p in sorted(self.data.glob("*.json.gz"))}
        self.five = [name for name in self.files if name != PNPOLY]
        self.scores = {}  # of the strategy without history, by file

    @staticmethod
    def name(path):
        return path.name.removesuffix(".json.gz").removesuffix("_T4")

    def run(self, program, *arguments, **more):
        done = subprocess.run([self.build / program, *map(str, arguments)], capture_output=True, text=True, **more)
        if done.returncode:
            sys.exit(f"{program} {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def replay(self, names, *more, strategy=None, runs=None):
        """The object of each file."""
        out = self.run("asctune", "replay", *(self.files[n] for n in names), "--json", "--strategy",
                       strategy or self.options.strategy, "--runs", runs or self.options.runs, "--seed",
                       self.options.seed, *more)
        lines = map(json.loads, out.splitlines())
        return {line["file"]: line for line in lines if line["type"] == "file"}

    def score(self, names, *more):
        return {name: line["score"] for name, line in self.replay(names, *more).items()}

    def base(self):
        if not self.scores:
            self.scores = self.score(self.files)
        return self.scores

    # ---- rows ----

    def row_scores(self):
        scores = self.base()
        for name, score in scores.items():
            print(f"  {name:62} {score:9.4g}")
        for kernel in sorted({name.split("__")[0] for name in scores}):
            of_kernel = statistics.mean(s for n, s in scores.items() if n.startswith(kernel))
            print(f"  mean of {kernel:54} {of_kernel:9.4g}")
        five = [scores[name] for name in self.five]
        self.limits.least("mean of the five T4 files", statistics.mean(five), MEAN)
        self.limits.least("the lowest of them", min(five), LOWEST)
        self.limits.least("pnpoly", scores[PNPOLY], MEAN_PNPOLY)

    def row_ahead(self):
        scores = self.score(self.five, "--ahead", AHEAD)
        for name, score in scores.items():
            print(f"  {name + f', {AHEAD} pending':62} {score:9.4g}")
        self.limits.least(f"the five with {AHEAD} pending", statistics.mean(scores.values()), MEAN_AHEAD)

    def row_together(self):
        """Two implementations that share a budget, of which one is half as fast, beside the faster one alone."""
        alone = self.replay(TOGETHER[1:], "--within", WITHIN_PCT)[TOGETHER[1]]["evaluations_within"]
        (line,) = self.replay(TOGETHER, "--within", WITHIN_PCT, "--together").values()
        slower, faster = line["evaluations_of"]
        self.limits.most("two implementations: part of the trials that the slower one has", slower / (slower + faster), SLOWER_PART)
        self.limits.most(f"evaluations to within {WITHIN_PCT} %, as a ratio to the faster one's alone", line["evaluations_within"] / alone, LATER_RATIO)

    def pairs(self):
        """Ordered pairs of files of one kernel: the history, the file that is searched."""
        return [(a, b) for b in self.five for a in self.five if a != b and a.split("__")[0] == b.split("__")[0]]

    def row_history(self):
        base, pairs = self.base(), self.pairs()
        with_history, with_shuffled = [], []
        with tempfile.TemporaryDirectory(prefix="asctune-bench.") as folder:
            for a, b in pairs:
                with_history.append(self.score([b], "--history", self.files[a])[b])
                self.limits.least(f"  {b} after {a}", with_history[-1], base[b])
                shuffled = shuffle(self.files[a], pathlib.Path(folder), self.options.seed)
                with_shuffled.append(self.score([b], "--history", shuffled)[b] - base[b])
                print(f"  {'its times shuffled, less the score without history':62} {with_shuffled[-1]:9.4g}")
        self.limits.least(f"history of another GPU, {len(pairs)} ordered pairs", statistics.mean(with_history), HISTORY)
        self.limits.least("history whose times are shuffled, less the mean without", statistics.mean(with_shuffled), SHUFFLED)

    def row_patience(self):
        """Evaluations that a search saves which ends before its budget, and how much slower its best is."""
        whole, ended = self.replay(self.five), self.replay(self.five, "--patience", PATIENCE)
        saved = {name: 1 - ended[name]["evaluations"] / whole[name]["evaluations"] for name in self.five}
        loss = {name: ended[name]["best_over_optimum"] / whole[name]["best_over_optimum"] - 1 for name in self.five}
        for name in self.five:
            print(f"  {name + f', part of the evaluations saved, --patience {PATIENCE}':62} {saved[name]:9.4g}")
            print(f"  {'  its best time above that of the whole budget, as a part':62} {loss[name]:9.4g}")
        self.limits.least(f"part of the evaluations saved, --patience {PATIENCE}", statistics.mean(saved.values()), SAVED)
        self.limits.most("best times above those of the whole budget, as a part", statistics.mean(loss.values()), LOSS)

    def row_left_out(self):
        """The figure with one kernel left out at a time; it has no limit."""
        def score(program):
            out = self.run(program, "replay", *self.files.values(), "--json", "--strategy", "model", "--runs",
                           self.options.left_out_runs, "--seed", self.options.seed)
            return {line["file"]: line["score"] for line in map(json.loads, out.splitlines()) if line["type"] == "file"}
        print_left_out(self.options.root, self.build.resolve(), score)

    def row_peers(self):
        ours = statistics.mean(self.base()[name] for name in self.five)
        means = {}
        for peer in PEERS:
            scores = [self.score_peer(peer, name) for name in self.five]
            means[peer] = statistics.mean(scores)
            print(f"  Kernel Tuner's {peer:47} {means[peer]:9.4g}", flush=True)
        best = max(means.values())
        self.limits.least("ratio of the mean to the better of the two peers'", ours / best, RATIO)

    def score_peer(self, peer, name):
        facts = self.replay([name], strategy="random", runs=1)[name]
        tried = subprocess.run(
            [sys.executable, self.options.root / "tests/bench/search_peers.py", self.files[name], peer,
             str(self.options.peer_runs), str(self.options.seed), str(1.1 * facts["cutoff_s"])],
            capture_output=True, text=True)
        if tried.returncode:
            sys.exit(f"Kernel Tuner's {peer} on {name}: {tried.stderr[-2000:]}")
        score = float(self.run("tests/bench/search_score", self.files[name], input=tried.stdout))
        print(f"  Kernel Tuner's {peer + ' on ' + name:47} {score:9.4g}", flush=True)
        return score

    def row_cpu(self):
        for strategy in [*SIMPLE, self.options.strategy]:
            lines = self.replay(self.five, strategy=strategy, runs=min(self.options.runs, 25)).values()
            cpu_s = max(line["cpu_s"] for line in lines if line["configurations"] == CPU_ENTRIES)
            limit = CPU_S if strategy == "model" else SIMPLE_CPU_S
            self.limits.most(f"processor time of a run over {CPU_ENTRIES} entries, {strategy}, s", cpu_s, limit)

    def row_questions(self):
        out = self.run("tests/bench/search_questions", self.options.strategy)
        for line in map(json.loads, out.splitlines()):
            at = f"next question at {line['results']} results, 10^6 configurations, ms"
            self.limits.most(f"{at}: mean", line["mean_ms"], QUESTION_MS)
            self.limits.most(f"{at}: 99.9th percentile", line["p999_ms"], QUESTION_P999_MS)


def shuffle(path, folder, seed):
    """A copy of a T4 file in which the results of the configurations are exchanged at random."""
    with gzip.open(path) as file:
        document = json.load(file)
    configurations = [r["configuration"] for r in document["results"]]
    random.Random(seed).shuffle(configurations)
    for result, configuration in zip(document["results"], configurations):
        result["configuration"] = configuration
    copy = folder / path.name.removesuffix(".gz")
    copy.write_text(json.dumps(document))
    return copy


def main():
    options = arguments()
    unknown = set(options.only) - {*ROWS, *ASKED}
    if unknown:
        sys.exit(f"search: no row {', '.join(sorted(unknown))}; rows: {', '.join(ROWS + ASKED)}")
    bench = Bench(options)
    print(f"{options.strategy}, {options.runs} runs a file, {os.cpu_count()} processors")
    for row in ROWS + ASKED:
        if row in options.only:
            getattr(bench, f"row_{row.replace('-', '_')}")()
    return 1 if bench.limits.missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
