"""ci/soak: tunes while faults are done to asctune, and holds what is left against a ledger. CONTRIBUTING.md names it; docs/soak.md says what it does."""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time

import machine
from episode import Episode
from place import build_wrappers

PACE_S = {"cpu": 0.6, "cuda": 0.9}  # mean time between faults
EPISODE_S = {"cpu": 45, "cuda": 60}  # how long faults are done in an episode; its quiet end comes on top
LEAST_KILLS = {"cpu": 1000 / 3600, "cuda": 100 / 480}  # a second
MEMORY_MIB = 16  # what a GPU's memory may differ by


class Soak:
    def __init__(self, options, folder):
        self.device, self.seed, self.folder = options.device, options.seed, folder
        self.kind = options.device.split(":")[0]
        self.sources = os.path.dirname(os.path.abspath(__file__))
        self.program = os.path.join(os.environ["ASCTUNE_BUILD"], "asctune")
        self.pace_s = PACE_S[self.kind]
        self.only = options.faults
        self.kept = os.path.abspath(options.keep)
        self.counts, self.violations, self.most_descriptors = {}, [], 0
        self.log_file = open(os.path.join(folder, "log"), "w")
        self.began = time.monotonic()
        machine.adopt_orphans()
        self.mounts = not options.wrappers and machine.leave_namespaces()
        self.wrappers = build_wrappers(folder, os.path.join(self.sources, "preload.c"))

    def log(self, text):
        self.log_file.write(text + "\n")
        self.log_file.flush()

    def count(self, what, n=1):
        self.counts[what] = self.counts.get(what, 0) + n

    def episode(self, index, seconds):
        episode = Episode(self, index)
        try:
            episode.disturb(time.monotonic() + seconds)
            episode.settle()
        finally:
            for run in episode.running():
                run.popen.kill()
            for fault, n in episode.injector.done.items():
                self.count(fault, n)
            self.count("episodes")
            self.count("resumed trials", episode.ledger.resumed)
            self.violations += ["episode %d: %s" % (index, v) for v in episode.violations]
            for v in episode.violations:
                print("soak: episode %d: %s" % (index, v), flush=True)
            episode.close()

    @property
    def kills(self):
        return sum(n for what, n in self.counts.items() if what.startswith("kill "))


def check_machine(soak, before):
    """What is left on the machine: processes, descriptors, shared memory, memory of the GPU."""
    found = ["a process: " + told for told in machine.wait_for_orphans(set(), 5)]
    found += ["shared memory: " + name for name in sorted(machine.shared_memory() - before["shared"])]
    now = len(machine.descriptors(os.getpid()))
    if now > before["descriptors"]:
        found.append("descriptors: %d, %d before" % (now, before["descriptors"]))
    if soak.kind == "cuda":
        end = time.monotonic() + 30
        while machine.gpu_memory_mib() and time.monotonic() < end and exceeds(machine.gpu_memory_mib(), before["memory"]):
            time.sleep(1)
        memory = machine.gpu_memory_mib()
        print("soak: memory of the GPU: %s MiB before, %s MiB after" % (before["memory"] or "unknown", memory or "unknown"))
        if exceeds(memory, before["memory"]):
            found.append("memory of the GPU: %s MiB, %s before" % (memory, before["memory"]))
        found += ["a process on the GPU: " + pid for pid in machine.gpu_processes() - before["gpu processes"]]
    return ["left at the end: " + f for f in found]


def exceeds(now, before):
    return any(n > b + MEMORY_MIB for n, b in zip(now, before))


def tell(soak, seconds):
    """Prints what was done and found; the exit status."""
    for what in sorted(soak.counts):
        print("  %6d %s" % (soak.counts[what], what))
    took = time.monotonic() - soak.began
    least = LEAST_KILLS[soak.kind] * seconds
    print("soak: %d kills in %.0f s, at least %.0f; %d descriptors of a coordinator at most; %d violations (seed %d)" % (
        soak.kills, took, least, soak.most_descriptors, len(soak.violations), soak.seed))
    return 1 if soak.violations or soak.kills < least else 0


def parse(arguments):
    parser = argparse.ArgumentParser(prog="ci/soak", description=__doc__.split(". ")[0])
    parser.add_argument("seconds", nargs="?", type=int, default=3600)
    parser.add_argument("--seed", type=int, default=None, help="what all faults are drawn from; another one for each call without it")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--episode", type=int, default=None, help="repeats this episode alone")
    parser.add_argument("--faults", type=lambda t: [int(n) for n in t.split(",")], help="numbers of the hostile kernels of each episode")
    parser.add_argument("--wrappers", action="store_true", help="fills no file system, even where one can be mounted, but fails system calls")
    parser.add_argument("--keep", default="build/soak", help="folder for what a violation left: log, database, output of its runs")
    options = parser.parse_args(arguments)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 31)
    if options.device.split(":")[0] not in PACE_S:
        parser.error("there are soaks of cpu and cuda, not of %s" % options.device)
    return options


def main(arguments):
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    folder = tempfile.mkdtemp(prefix="asctune-soak-")
    before = None
    soak = Soak(options, folder)
    try:
        print("soak: %s, %d s, seed %d; small disks: %s; clock: %s" % (
            options.device, options.seconds, options.seed, "mounted" if soak.mounts else "system calls that fail",
            "set for asctune alone" if soak.wrappers else "not set: no C compiler"), flush=True)
        before = {"shared": machine.shared_memory(), "descriptors": len(machine.descriptors(os.getpid())),
                  "memory": machine.gpu_memory_mib(), "gpu processes": machine.gpu_processes()}
        end = time.monotonic() + options.seconds
        index = options.episode or 1
        while time.monotonic() < end - 10:
            soak.episode(index, min(EPISODE_S[soak.kind], max(10, end - time.monotonic() - 30)))
            if options.episode:
                break
            index += 1
        soak.violations += check_machine(soak, before)
        return tell(soak, options.seconds)
    finally:
        soak.log_file.close()
        if soak.violations:
            os.makedirs(soak.kept, exist_ok=True)
            shutil.copy(os.path.join(folder, "log"), soak.kept)
            print("soak: log and databases are in %s; ci/soak --seed %d --episode N repeats one" % (soak.kept, soak.seed))
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
