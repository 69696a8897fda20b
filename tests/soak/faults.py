"""The faults of an episode, drawn from its seed: what is done, to which of several victims, and how long it lasts."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import machine

# Kinds with their weights. Those that kill are the most frequent.
KINDS = {
    "kill coordinator": 20,
    "kill worker": 28,
    "kill compiler": 18,
    "kill gnuplot": 4,
    "kill report": 2,
    "interrupt coordinator": 3,
    "stop coordinator": 5,
    "stop worker": 6,
    "stop compiler": 3,
    "fill bytes": 4,
    "fill inodes": 3,
    "remove cache": 5,
    "corrupt cache": 8,
    "turn clock": 5,
    "lock database": 5,
}

FIND_S = 1.0  # how long a victim is waited for
REPORT_S = 60  # how long a report may take


class Fault:
    def __init__(self, draw, pace_s):
        self.kind = draw.choices(list(KINDS), list(KINDS.values()))[0]
        self.after_s = draw.expovariate(1 / pace_s)
        self.choice = draw.random()  # which of the victims
        self.lasts_s = draw.choice([0.05, 0.3, 1.0, 2.5]) * (0.5 + draw.random())
        self.ends_in_kill = draw.random() < 0.3
        self.seed = draw.randrange(1 << 30)

    def __str__(self):
        return self.kind


def pick(victims, choice):
    return victims[int(choice * len(victims))] if victims else None


class Injector:
    """Does faults to the runs of an episode, and undoes what does not last."""

    def __init__(self, episode):
        self.episode, self.place = episode, episode.place
        self.undo = []  # (time, function, kind): what lasts
        self.done = {}  # number of faults of each kind that hit

    def inject(self, fault):
        verb, object_ = fault.kind.split()
        runs = self.episode.running()
        run = pick(runs, fault.choice)
        hit = None
        if object_ in ("gnuplot", "report"):
            hit = self.disturb_report(fault, object_)
        elif verb in ("kill", "stop", "interrupt"):
            hit = run and self.strike(verb, object_, run, fault)
        else:
            hit = getattr(self, verb)(object_, fault)
        self.episode.say("%s: %s" % (fault, hit or "nothing there"))
        if not hit:
            return
        self.done[fault.kind] = self.done.get(fault.kind, 0) + 1
        for r in runs:
            r.faults.append(fault.kind)

    def settle(self, all_of_it=False):
        """Undoes what has lasted long enough."""
        now = time.monotonic()
        for entry in [u for u in self.undo if all_of_it or u[0] <= now]:
            self.undo.remove(entry)
            entry[1]()

    def lasting(self):
        """Kinds that a run meets which starts now."""
        return [kind for _, _, kind in self.undo]

    def last(self, fault, undo):
        self.undo.append((time.monotonic() + fault.lasts_s, undo, fault.kind))

    # ---- processes ----

    def victims(self, run, object_, wait_s):
        end = time.monotonic() + wait_s
        while run.popen.poll() is None:
            found = [p for p in machine.descendants(run.popen.pid) if p.role == object_]
            if found or time.monotonic() > end:
                return found
            time.sleep(0.005)
        return []

    def strike(self, verb, object_, run, fault):
        if object_ == "coordinator":
            victim = run.popen.pid if run.popen.poll() is None else None
        else:
            found = pick(self.victims(run, object_, FIND_S if object_ == "compiler" else 0.2), fault.choice)
            victim = found and found.pid
        if not victim:
            return None
        if verb == "stop":
            return self.stop(victim, object_, run, fault)
        if object_ == "coordinator":
            run.ended_by = signal.SIGKILL if verb == "kill" else pick([signal.SIGINT, signal.SIGTERM, signal.SIGHUP], fault.choice)
            return machine.send(victim, run.ended_by) and "%s to %d" % (run.ended_by.name, victim)
        return machine.send(victim, signal.SIGKILL) and str(victim)

    def stop(self, victim, object_, run, fault):
        if not machine.send(victim, signal.SIGSTOP):
            return None

        def go_on():
            if fault.ends_in_kill and machine.send(victim, signal.SIGKILL):
                self.done["kill " + object_] = self.done.get("kill " + object_, 0) + 1
                run.faults.append("kill " + object_)
                if object_ == "coordinator":
                    run.ended_by = signal.SIGKILL
            machine.send(victim, signal.SIGCONT)

        self.last(fault, go_on)
        return "%d for %.2f s%s" % (victim, fault.lasts_s, ", then kill" if fault.ends_in_kill else "")

    # ---- report and gnuplot ----

    def disturb_report(self, fault, object_):
        """Kills gnuplot as it draws, or the report as it is written: the page there is whole, or there is none."""
        if not os.path.exists(self.place.database):
            return None
        page = os.path.join(self.place.disk, "report.html")
        report = self.episode.start("report", "--output", page)
        end = time.monotonic() + (fault.lasts_s if object_ == "report" else 5)
        victim = None
        while report.poll() is None and time.monotonic() < end and not victim:
            if object_ == "gnuplot":
                victim = pick([p.pid for p in machine.descendants(report.pid) if p.role == "gnuplot"], fault.choice)
        victim = report.pid if object_ == "report" and report.poll() is None else victim
        killed = victim and machine.send(victim, signal.SIGKILL)
        try:
            report.communicate(timeout=REPORT_S)
        except subprocess.TimeoutExpired:
            report.kill()
            self.episode.violate("report hangs after %s" % fault)
        self.episode.check_report(report, page, killed=killed and victim == report.pid)
        return killed and str(victim)

    # ---- disk, cache, clock ----

    def fill(self, what, fault):
        if not self.place.fill(what):
            return None
        self.last(fault, self.place.make_room)
        return "for %.2f s" % fault.lasts_s

    def remove(self, _, fault):
        part = "all" if fault.choice < 0.5 else fault.seed
        return self.place.remove_cache(part) and ("all of it" if part == "all" else "a file")

    def corrupt(self, _, fault):
        return self.place.corrupt_cache(random.Random(fault.seed))

    def turn(self, _, fault):
        by_s = -random.Random(fault.seed).choice([2, 90, 3700, 90000])
        return self.place.set_clock(by_s) and "by %d s" % by_s

    # ---- database ----

    def lock(self, _, fault):
        """Another process holds the write lock for a while, and is killed with it where the fault ends in a kill."""
        if not os.path.exists(self.place.database):
            return None
        code = ("import sqlite3, sys, time; d = sqlite3.connect(sys.argv[1], timeout=2); d.execute('BEGIN IMMEDIATE');"
                " time.sleep(float(sys.argv[2]) + 1 * (sys.argv[3] == 'True')); d.rollback()")
        holder = subprocess.Popen([sys.executable, "-c", code, self.place.database, str(fault.lasts_s), str(fault.ends_in_kill)],
                                  stderr=subprocess.DEVNULL)
        self.episode.helpers.append(holder)

        self.last(fault, holder.kill if fault.ends_in_kill else holder.wait)
        return "for %.2f s%s" % (fault.lasts_s, ", its holder is killed" if fault.ends_in_kill else "")
