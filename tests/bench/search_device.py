"""The strategy `model` beside `random` on a device: tests/bench/search --device [KIND] [OPTION...]

Each subject is one implementation of one problem, narrowed to at most 2,000 valid configurations. Parts of each, in this order:
record   measures every configuration (`run --no-race`) and exports the record as T4 into --folder
replay   replays the record: median trials to within 2 % of the best, `model` as a part of what `random` takes. As in a live
         run `model` learns from the workload's features; the figures without them are printed, too
live     tunes with `model` and `random`, the same budget in seconds, ten seeds by turns: the time in which `random` tries
         a tenth of the space. Where both choose different configurations, these are measured again in the same rounds.
         Artifacts are those that the part record left, or with --cold each run compiles its own. Neither learns from the
         other: each run has a database of its own.
The seconds that a part will take are estimated by a few configurations and printed before it begins. Records and artifacts
stay in --folder for a later call. Exits with 1 where a limit is missed.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import tuning
from search_limits import Limits

PARTS = ["record", "replay", "live"]
MOST, WITHIN_PCT = 2000, 2
TRIALS_RATIO, MARGIN, SEEDS_MET, GAIN = 1 / 3, 0.005, 0.9, 0.02
PILOT = 48  # configurations that the rate is estimated from
FINALS = 1 / 4  # part of a budget in seconds that `run` keeps for the finals
LEAST_S = 1  # of a budget

# name, workload, problem, implementation, condition
SUBJECTS = {
    "cuda": [("gemm", "gemm.json", "square-4k", "simt", "1"), ("sdpa", "sdpa.json", "gpt-4k-causal", "flash", "1")],
    "cpu": [("gemm", "gemm.json", "tiny", "packed", "BLOCK_K == 128 and THREADS == 1 and UNROLL == 1 and ROWS == 4"),
            ("sdpa", "sdpa.json", "tiny", "blocked", "THREADS == 1 and UNROLL == 1 and BLOCK_M == 96 and QUERY_BLOCKS == 1")],
}


def arguments():
    parser = argparse.ArgumentParser(prog="search --device", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", nargs="?", default="cuda", choices=SUBJECTS, help="kind of device (default cuda)")
    parser.add_argument("--only", type=lambda text: text.split(","), default=PARTS, help="parts, separated by commas")
    parser.add_argument("--subject", type=lambda text: text.split(","), help="subjects, separated by commas: gemm,sdpa (default both)")
    parser.add_argument("--where", help="narrows the space of the one subject by this condition instead of its own")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("search-device"), help="for records and artifacts")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=100, help="replayed runs of each strategy")
    parser.add_argument("--cold", action="store_true", help="each live run has an empty cache of artifacts")
    parser.add_argument("--budget", type=float, help="seconds of each live run, instead of what a pilot finds")
    parser.add_argument("--most", type=float, metavar="SECONDS", help="gives up before a part that is estimated to take longer")
    opts = parser.parse_args()
    if set(opts.only) - set(PARTS):
        parser.error(f"--only: parts are {', '.join(PARTS)}")
    names = [subject[0] for subject in SUBJECTS[opts.device]]
    opts.subject = opts.subject or names
    if set(opts.subject) - set(names):
        parser.error(f"--subject: subjects are {', '.join(names)}")
    if opts.where and len(opts.subject) != 1:
        parser.error("--where is for one --subject")
    return opts


class Subject:
    """One implementation of one problem, narrowed; its record and its artifacts lie in the benchmark's folder."""

    def __init__(self, bench, name, workload, problem, implementation, where):
        self.bench, self.name, self.problem, self.implementation = bench, name, problem, implementation
        self.folder = bench.opts.folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.workload = tuning.narrow(tuning.WORKLOADS / workload, self.folder / "workload",
                                      {implementation: bench.opts.where or where})
        self.record = self.folder / f"{name}_T4.json"
        counted = bench.call("space", self.workload, "--problem", problem, "--device", bench.opts.device, "--count")
        self.count = int(counted.split()[-1])
        if not 10 <= self.count <= MOST:
            tuning.give_up(f"{name} has {self.count} valid configurations, expected 10 to {MOST}: narrow it by --where")
        self.budget_s = None  # of a live run

    def tune(self, *options, db=None, workload=None):
        return tuning.Tuning(self.bench.asctune, workload or self.workload, self.problem, self.bench.cache, "--device",
                             self.bench.opts.device, *options, db=db)

    def tune_live(self, *options):
        if self.bench.opts.cold:
            shutil.rmtree(self.bench.cache, ignore_errors=True)
        return self.tune(*options)

    # ---- parts ----

    def estimate_record(self):
        """By a few configurations drawn at random, most of whose artifacts are new."""
        tuned = self.tune("--no-race", "--strategy", "random", "--budget", min(PILOT, self.count))
        return self.count / len(tuned.trials) * tuned.search_s()

    def run_record(self):
        db = self.folder / "record.db"
        db.unlink(missing_ok=True)
        tuned = self.tune("--no-race", "--strategy", "exhaustive", "--budget", "all", db=db)
        passed = sum(trial["status"] == "ok" for trial in tuned.trials)
        exported = self.folder / "exported"
        shutil.rmtree(exported, ignore_errors=True)
        self.bench.call("export", "t4", "--db", db, "-o", exported)
        (made,) = exported.glob("*_T4.json")
        made.replace(self.record)
        print(f"  {self.name}: {len(tuned.trials)} of {self.count} configurations measured, {passed} passed: {self.record}", flush=True)
        if len(tuned.trials) != self.count or any(trial["status"] == "slow" for trial in tuned.trials):
            tuning.give_up(f"{self.name}: the record is not complete")

    def estimate_replay(self):
        return 0

    def run_replay(self):
        if not self.record.exists():
            tuning.give_up(f"{self.record} is not there: run the part record")
        random = self.replay_random()
        for told in self.replay_model():
            print(f"  {self.name}, model, {told['features']} features: {told['evaluations_within']:g} trials, score {told['score']:.3f}", flush=True)
        self.bench.limits.most(f"{self.name}: trials of model as a part of random's", told["evaluations_within"] / random, TRIALS_RATIO)

    def replay_random(self):
        """Median trials of `random` to within WITHIN_PCT of the best."""
        out = self.bench.call("replay", self.record, "--strategy", "random", "--runs", self.bench.opts.runs, "--within", WITHIN_PCT, "--json")
        trials = json.loads(out.splitlines()[0])["evaluations_within"]
        print(f"  {self.name}, random: {trials:g} trials to within {WITHIN_PCT} %", flush=True)
        return trials

    def replay_model(self):
        """The figures of `model` without and with what the workload tells of a configuration, as a run does."""
        command = [self.bench.asctune.parent / "tests/bench/search_features", self.record, self.workload, self.problem, self.implementation,
                   self.bench.opts.device, self.bench.opts.runs, WITHIN_PCT]
        done = subprocess.run(map(str, command), capture_output=True, text=True)
        if done.returncode:
            tuning.give_up(f"{self.name}: {done.stderr.strip()}")
        return map(json.loads, done.stdout.splitlines())

    def find_budget(self):
        """Seconds in which `random` tries a tenth of the space, finals included."""
        if self.bench.opts.budget:
            return self.bench.opts.budget
        tuned = self.tune_live("--strategy", "random", "--budget", max(self.count // 10, 1))
        return max(LEAST_S, round(tuned.search_s() / (1 - FINALS), 1))

    def estimate_live(self):
        """Each pair of runs is followed by rounds of what they chose."""
        if not (self.bench.opts.cold or self.record.exists()):
            tuning.give_up(f"{self.record} is not there, and so are no artifacts: run the part record, or --cold")
        self.budget_s = self.find_budget()
        return self.bench.opts.seeds * (3 * self.budget_s + 6)

    def run_live(self):
        ratios, parts = [], []
        for seed in range(1, self.bench.opts.seeds + 1):
            order = ["random", "model"] if seed % 2 else ["model", "random"]
            tuned = {s: self.tune_live("--strategy", s, "--seed", seed, "--budget", f"{self.budget_s:g}s") for s in order}
            ratios.append(self.compare(tuned["model"], tuned["random"]))
            parts.append(tuned["random"].summary["trials"] / self.count)
            print(f"  {self.name}, seed {seed}: model in {tuned['model'].summary['trials']} trials, random in "
                  f"{tuned['random'].summary['trials']}: {ratios[-1]:.4f} of its time", flush=True)
        met = statistics.mean(ratio <= 1 + MARGIN for ratio in ratios)
        self.bench.limits.least(f"{self.name}: part of the seeds in which model is not slower beyond {MARGIN:g}", met, SEEDS_MET)
        print(f"  {self.name}: {self.budget_s:g} s, in which random tries {100 * statistics.mean(parts):.1f} % of the space")
        self.bench.limits.most(f"{self.name}: mean time of model's choice, as a part of that of random's", statistics.mean(ratios), 1 - GAIN)

    def compare(self, model, random):
        """Time of one choice as a part of the other's, both measured in the same rounds."""
        keys = model.best["config_key"], random.best["config_key"]
        if keys[0] == keys[1]:
            return 1.0
        pair = tuning.narrow(self.workload, self.folder / "pair",
                             {self.implementation: tuning.any_of([tuning.config_of(key) for key in keys])})
        tuned = self.tune("--no-race", "--budget", "all", workload=pair)
        times = [(tuned.finalist(key) or {}).get("median_ns") or tuned.median_ns(self.implementation, key) for key in keys]
        if None in times:
            tuning.give_up(f"{self.name}: a choice failed when it was measured again: {' '.join(keys)}")
        return times[0] / times[1]


class Bench:
    def __init__(self, opts):
        self.opts, self.limits = opts, Limits()
        self.asctune = tuning.program("search_features")
        tuning.need_device(self.asctune, opts.device)
        opts.folder = opts.folder.resolve()
        self.cache = opts.folder / "cache"
        self.subjects = [Subject(self, *facts) for facts in SUBJECTS[opts.device] if facts[0] in opts.subject]

    def call(self, *words):
        done = subprocess.run([self.asctune, *map(str, words)], capture_output=True, text=True)
        if done.returncode:
            tuning.give_up(f"asctune {' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout

    def run_part(self, part, subject):
        start = time.monotonic()
        estimate_s = getattr(subject, f"estimate_{part}")()
        print(f"{subject.name}, {part}: {subject.count} configurations, about {estimate_s:.0f} s", flush=True)
        if self.opts.most and estimate_s > self.opts.most:
            tuning.give_up(f"{subject.name}, {part}: would take longer than --most {self.opts.most:g}")
        getattr(subject, f"run_{part}")()
        print(f"{subject.name}, {part}: took {time.monotonic() - start:.0f} s, the estimate included", flush=True)


def main():
    bench = Bench(arguments())
    for subject in bench.subjects:
        for part in PARTS:
            if part in bench.opts.only:
                bench.run_part(part, subject)
    return 1 if bench.limits.missed else 0


if __name__ == "__main__":
    sys.exit(main())
