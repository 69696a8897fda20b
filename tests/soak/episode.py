"""One episode: a database that runs are tuned into while faults are done to them, then a quiet run, and what must be there."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

import machine
from faults import Fault, Injector
from ledger import Ledger, config_text
from place import Place
from tries import FIRST, FORGERS, GIT_READ, NEVER_RETURN, NUMBERED, REPOSITORIES, World, has_git

PAUSE_S = 0.2  # after a run that ended with an error
GRACE_S = 5  # for what was killed to end
HANG_S = 90  # without a line from a run that goes on
QUIET_S = 240  # for a run without faults
QUIET_RUNS = 4  # until finals are sure
MOST_DESCRIPTORS = 64  # of a coordinator
HOSTILE = 9  # hostile kernels of an episode
TRIES = 9  # and of them that try to get out of the sandbox

FAILURES = {"crashed", "timeout", "wrong", "impossible", "build_failed", "load_failed", "launch_failed", "unsupported"}

# Failures of an honest kernel that a fault explains. Nothing explains one that is wrong.
EXPLAINS = {
    "kill worker": {"crashed"},
    "stop worker": {"timeout", "crashed"},
    "kill compiler": {"build_failed"},
    "stop compiler": {"build_failed"},
    "fill bytes": {"build_failed", "load_failed", "crashed"},
    "fill inodes": {"build_failed", "load_failed", "crashed"},
}

# Faults that may end a run, with a message: a full disk, or several kills in a row.
FULL = {"fill bytes", "fill inodes"}
IN_A_ROW = 3


class Run:
    """One `asctune run`."""

    def __init__(self, popen, out, err):
        self.popen, self.out, self.err = popen, out, err
        self.faults = []  # kinds that hit while it ran
        self.ended_by = None  # signal that was sent to end it
        self.bytes, self.heard = 0, time.monotonic()

    def read(self, path):
        with open(path, errors="replace") as f:
            return f.read()

    def is_silent(self):
        size = os.path.getsize(self.out)
        if size != self.bytes:
            self.bytes, self.heard = size, time.monotonic()
        return time.monotonic() - self.heard > HANG_S

    def may_end(self):
        kills = max(self.faults.count("kill worker") + self.faults.count("stop worker"),
                    self.faults.count("kill compiler") + self.faults.count("stop compiler"))
        gave_up = self.ended_by is not None and "lock database" in self.faults  # what was measured could not be recorded
        return bool(FULL & set(self.faults)) or kills >= IN_A_ROW or gave_up


class Episode:
    def __init__(self, soak, index):
        self.soak, self.index = soak, index
        draw = random.Random("%d/%d" % (soak.seed, index))
        self.fault_draw = random.Random(draw.randrange(1 << 60))
        self.run_draw = random.Random(draw.randrange(1 << 60))
        self.width = draw.choice([1, 1, 1, 2])
        self.cache_policy = draw.choice(["cold", "hot"])
        self.place = Place(os.path.join(soak.folder, "e%d" % index), soak.wrappers, soak.mounts)
        self.ledger = Ledger(self.place.database, self.place.folder)
        folder = os.path.join(self.place.folder, "workload")
        self.world = World(self.place.folder, folder, os.path.join(folder, "kernels", "hostile.c"), self.place.cache, self.place.database, other=1)
        self.injector = Injector(self)
        self.runs, self.helpers, self.violations = [], [], []
        self.n_runs, self.began = 0, time.monotonic()
        self.pause_until = 0  # no run is started before
        self.workload, self.names = self.write_workload(draw)

    def say(self, text):
        self.soak.log("%d %6.2f %s" % (self.index, time.monotonic() - self.began, text))

    def violate(self, text):
        self.violations.append(text.strip())
        self.say("VIOLATION: " + text.strip())

    # ---- starting ----

    def write_workload(self, draw):
        """The workload with some of its hostile kernels: its file, and their names by the number of the fault."""
        folder = str(self.world.work)
        shutil.copytree(os.path.join(self.soak.sources, "kernels"), os.path.join(folder, "kernels"))
        with open(os.path.join(self.soak.sources, self.soak.kind + ".json")) as f:
            workload = json.load(f)
        names = {number: name for name, number in workload["X-faults"].items()}
        chosen = draw.sample(sorted(names), min(HOSTILE, len(names)))
        if self.soak.kind == "cpu":  # what runs on a GPU calls no system
            names.update(NUMBERED)
            chosen += draw.sample(sorted(NUMBERED), TRIES)
        self.chosen = chosen = sorted(self.soak.only or chosen)
        workload["implementations"][1]["parameters"]["FAULT"] = chosen
        self.say("%s caches, %d at once; hostile: %s" % (self.cache_policy, self.width, ", ".join(names[n] for n in chosen)))
        path = os.path.join(folder, "soak.json")
        with open(path, "w") as f:
            json.dump(workload, f)
        self.world.write_header(os.path.join(folder, "kernels"), {n: names[n] for n in chosen if n >= FIRST})
        repository = draw.choice(sorted(REPOSITORIES))
        if has_git():
            self.world.make_repository(repository)
            self.say("its repository would " + repository)
        return path, names

    def start(self, *words, out=subprocess.PIPE, err=subprocess.STDOUT):
        return subprocess.Popen([self.soak.program] + list(words), cwd=self.place.folder, env=self.place.environment(self.world.home),
                                stdin=subprocess.DEVNULL, stdout=out, stderr=err, text=True, errors="replace",
                                start_new_session=True)

    def start_run(self, *options):
        self.n_runs += 1
        out, err = (os.path.join(self.place.folder, "run%d.%s" % (self.n_runs, end)) for end in ("out", "err"))
        with open(out, "w") as o, open(err, "w") as e:
            popen = self.start("run", self.workload, "--device", self.soak.device, "--cache", self.cache_policy, "--limit", "1s", "--json",
                               *options, out=o, err=e)
        self.runs.append(Run(popen, out, err))
        self.runs[-1].faults += self.injector.lasting()
        return self.runs[-1]

    def draw_options(self):
        draw, options = self.run_draw, ["--budget", self.run_draw.choice(["all", "all", "30", "8s"])]
        options += ["--seed", str(draw.randrange(1000))]
        for chance, words in ((0.75, ["--resume"]), (0.15, ["--repeats", "5"]), (0.2, ["--jobs", "1"]), (0.1, ["--durable"]),
                              (0.2, ["--strategy", "random"]), (0.1, ["--probe", "perf_event"]), (0.15, ["--untrusted"])):
            if draw.random() < chance:
                options += words
        return options

    def running(self):
        return [r for r in self.runs if r.popen.poll() is None]

    # ---- faults ----

    def start_asker(self):
        """The test of libasctune beside all this: threads and children of fork() ask for tables that are replaced. None: it is not built."""
        test = os.path.join(os.path.dirname(self.soak.program), "tests", "t-libasctune.t")
        if not os.path.exists(test):
            return None
        with open(os.path.join(self.place.folder, "run-asker"), "w") as out:
            self.helpers.append(subprocess.Popen([test], env=dict(os.environ, TMPDIR=self.place.folder), stdout=out, stderr=out))
        return self.helpers[-1]

    def check_asker(self, asker):
        self.soak.count("tests of libasctune")
        if asker.returncode:
            self.violate("the test of libasctune ended with %d" % asker.returncode)

    def disturb(self, until):
        self.asker = self.start_asker()
        while time.monotonic() < until:
            fault = Fault(self.fault_draw, self.soak.pace_s)
            self.wait(fault.after_s)
            self.injector.inject(fault)
        self.injector.settle(all_of_it=True)
        for run in self.running():  # these end as they like
            machine.send(run.popen.pid, signal.SIGTERM)
            run.ended_by = run.ended_by or signal.SIGTERM
        end = time.monotonic() + HANG_S
        while self.running() and time.monotonic() < end:
            time.sleep(0.02)
        self.look_after_runs()

    def wait(self, seconds):
        """Lets time pass: starts runs, ends what faults have begun, looks at what has ended."""
        end = time.monotonic() + seconds
        self.watch_descriptors()
        while True:
            self.injector.settle()
            self.look_after_runs()
            while len(self.running()) < self.width and time.monotonic() > self.pause_until:
                self.start_run(*self.draw_options())
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, 0.02))

    def look_after_runs(self):
        for run in list(self.runs):
            if run.popen.poll() is None and run.is_silent():
                self.violate("a run says nothing for %d s (%s): %s" % (HANG_S, ", ".join(run.faults), "; ".join(
                    map(str, machine.descendants(run.popen.pid)))))
                run.popen.kill()
                run.ended_by = signal.SIGKILL
                run.popen.wait()
            if run.popen.poll() is not None:
                self.runs.remove(run)
                self.finish(run)

    # ---- one run has ended ----

    def finish(self, run):
        status, said = run.popen.returncode, run.read(run.err)
        objects, wrong = self.ledger.add(run.read(run.out), killed=status < 0)
        for text in wrong:
            self.violate(text)
        self.soak.count("runs")
        self.soak.count("runs that ended with %d" % status)
        if status < 0 and -status != run.ended_by:
            self.violate("asctune died of signal %d (%s): %s" % (-status, ", ".join(run.faults), said[-300:]))
        elif status in (2, 3, 4) and not run.may_end():
            self.violate("a run ended with %d (%s): %s" % (status, ", ".join(run.faults) or "no fault", said[-500:]))
        elif status in (2, 3) and not said.strip():
            self.violate("a run ended with %d without a message" % status)
        elif status in (2, 3) and run.faults and set(run.faults) <= FULL and "space" not in said:
            self.violate("a run on a full disk ended with another message: " + said[-300:])
        elif status == 130 and run.ended_by is None:
            self.violate("a run says that it was interrupted")
        if status not in (0, 1, 130) and status > 0:
            self.pause_until = time.monotonic() + PAUSE_S
            self.say("ended with %d: %s" % (status, said.strip().split("\n")[-1][:300]))
        self.check_honest(run, objects)
        self.check_tries(run, objects)
        self.check_left()
        self.soak.count("printed trials", sum(o["type"] == "trial" and not o["resumed"] for o in objects))
        return objects

    def check_honest(self, run, objects):
        explained = set().union(*(EXPLAINS.get(kind, set()) for kind in run.faults))
        for o in objects:
            if o["type"] != "trial" or o["implementation"] != "honest" or o["resumed"] or o["status"] not in FAILURES:
                continue
            told = "honest %s: %s: %s" % (config_text(o["config"]), o["status"], o.get("reason"))
            if o["status"] in explained:
                self.soak.count("honest kernels that a fault made fail")
                self.say(told[:200])
            else:
                self.violate("%s (%s)" % (told[:500], ", ".join(run.faults) or "no fault"))

    def check_tries(self, run, objects):
        """No try has succeeded, and each was one: it compiled."""
        explained = set().union(*(EXPLAINS.get(kind, set()) for kind in run.faults))
        for o in objects:
            number = o["config"].get("FAULT", 0) if o["type"] == "trial" else 0
            if number < FIRST or o["resumed"]:
                continue
            self.soak.count("tries")
            believed = o["status"] not in FAILURES and self.names[number] in NEVER_RETURN
            if o["status"] == "wrong" or believed or (o["status"] == "build_failed" and "build_failed" not in explained):
                self.violate("a kernel could %s: %s: %s" % (self.names[number], o["status"], o.get("reason")))

    def check_world(self):
        for text in self.world.changes():
            self.violate("outside of the sandbox: " + text)
        if self.ledger.has_tables() and self.ledger.query(GIT_READ):
            self.violate("outside of the sandbox: git's program read a key")

    def check_left(self):
        """With nothing running, and all that was printed entered: no process, and every trial where it should be."""
        if self.runs:
            return
        for told in machine.wait_for_orphans({h.pid for h in self.helpers if h.poll() is None}, GRACE_S):
            self.violate("left behind: " + told)
        for text in self.ledger.check() + self.ledger.check_file():
            self.violate(text)
        self.check_world()

    def watch_descriptors(self):
        for run in self.running():
            n = len(machine.descriptors(run.popen.pid))
            self.soak.most_descriptors = max(self.soak.most_descriptors, n)
            if n > MOST_DESCRIPTORS:
                self.violate("the coordinator has %d descriptors" % n)
            for p in machine.descendants(run.popen.pid):
                held = [d for d in machine.descriptors(p.pid).values() if d.startswith(self.place.database)]
                if held and p.role != "other":
                    self.violate("a %s has the database open: %s" % (p.role, held[0]))

    def check_report(self, report, page, killed):
        if not killed and report.returncode not in (0, 1, 2):
            self.violate("report ended with %d" % report.returncode)
        if os.path.exists(page):
            with open(page, errors="replace") as f:
                if not f.read().rstrip().endswith("</html>"):
                    self.violate("half a page was left")
            os.unlink(page)
        elif not killed and report.returncode == 0:
            self.violate("report wrote no page")

    # ---- the end ----

    def settle(self):
        """Quiet runs until the finals are sure, then everything that must be there."""
        self.place.make_room()
        for helper in self.helpers:
            helper.wait()
        if self.asker:
            self.check_asker(self.asker)
        self.run_forgers()
        best = None
        for attempt in range(QUIET_RUNS):
            objects = self.run_quietly()
            summary = objects[-1] if objects and objects[-1]["type"] == "summary" else None
            if not summary or not summary.get("best"):
                return self.violate("the quiet run has no %s" % ("best" if summary else "summary"))
            best = summary["best"]
            if summary["sure"] in ("clear winner", "tie"):
                break
        else:
            self.soak.count("episodes whose finals were too noisy")
        self.soak.count("runs that git told a commit of", self.ledger.query("SELECT count(*) FROM run WHERE source_commit <> ''")[0][0])
        self.check_trials(objects)
        self.check_winner(best, summary["sure"])
        self.check_places()

    def run_forgers(self):
        """Those that say that they are trial 1, each as that one."""
        for number in sorted(n for n in self.chosen if self.names[n] in FORGERS):
            self.run_to_its_end("--impl", "hostile", "--config", "FAULT=%d" % number)

    def run_to_its_end(self, *options):
        run = self.start_run(*options)
        self.runs.remove(run)
        try:
            run.popen.wait(QUIET_S)
        except subprocess.TimeoutExpired:
            self.violate("a quiet run did not end in %d s: %s" % (QUIET_S, "; ".join(map(str, machine.descendants(run.popen.pid)))))
            run.popen.kill()
            run.popen.wait()
            run.ended_by = signal.SIGKILL
        return run, self.finish(run)

    def run_quietly(self):
        run, objects = self.run_to_its_end("--budget", "all", "--resume")
        if run.popen.returncode not in (0, 4):
            self.violate("the quiet run ended with %d: %s" % (run.popen.returncode, run.read(run.err)[-500:]))
        return objects

    def check_trials(self, objects):
        """Every configuration of the space has a result, in the last run and in the database."""
        planned = sum(o["valid"] for o in objects if o["type"] == "run")
        told = {(o["implementation"], config_text(o["config"])) for o in objects if o["type"] == "trial"}
        rows = {trial[1:3] for trial in self.ledger.recorded()}
        if not len(told) == len(rows) == planned or told != rows:
            self.violate("%d configurations, %d with a result in the last run, %d in the database" % (planned, len(told), len(rows)))

    def check_winner(self, best, sure):
        """An honest kernel of the fastest class is the answer of the run, of `best`, of the export, and passes alone."""
        if not best or best["implementation"] != "honest" or best["config"].get("COST") != 1:
            self.violate("the winner is %s %s, not an honest kernel with COST=1 (%s)" % (
                best and best["implementation"], self.name_of(best and best["config_key"]), sure))
        if not best:
            return
        rows = [json.loads(line) for line in self.ask("best", "--json").splitlines()]
        answers = {"best": [(r["implementation"], r["config_key"]) for r in rows]}
        exported = json.loads(self.ask("export", "json", "--output", "-") or '{"configurations": []}')
        answers["export"] = [(r["implementation"], r["config_key"]) for r in exported["configurations"]]
        for name, found in answers.items():
            if found != [(best["implementation"], best["config_key"])]:
                self.violate("`run` answers with %s %s (%s), `%s` with %s" % (
                    best["implementation"], best["config_key"], sure, name, found))
        run, objects = self.run_to_its_end("--impl", best["implementation"], "--config", best["config_key"])
        trials = [o for o in objects if o["type"] == "trial"]
        if run.popen.returncode or [t["status"] for t in trials] != ["ok"]:
            self.violate("the winner does not pass alone: exit %d, %s" % (run.popen.returncode, run.read(run.err)[-300:]))

    def name_of(self, config):
        return "%s (%s)" % (config, self.names.get(int(config[6:]))) if config and config.startswith("FAULT=") else config

    def ask(self, *words):
        asked = self.start(*words, err=subprocess.PIPE)
        out, err = asked.communicate(timeout=QUIET_S)
        if asked.returncode:
            self.violate("asctune %s ended with %d: %s" % (words[0], asked.returncode, err[-300:]))
        return out

    def check_places(self):
        for path in self.place.left_files():
            self.violate("left behind: " + os.path.relpath(path, self.place.disk))

    def close(self):
        self.world.close()
        if self.violations:
            self.place.keep(os.path.join(self.soak.kept, "e%d" % self.index))
            for name in os.listdir(self.place.folder):
                if name.startswith("run"):
                    shutil.copy(os.path.join(self.place.folder, name), os.path.join(self.soak.kept, "e%d" % self.index))
        self.place.close()
