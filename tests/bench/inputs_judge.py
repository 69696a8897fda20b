"""Kernels of tests/judge and what `asctune run` makes of them: cheats beside an honest kernel, twins beside each other."""
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

import tuning

JUDGE = tuning.ROOT / "tests/judge"
CLOCK = pathlib.Path(__file__).with_name("inputs_clock.h")
FAMILIES = sorted(path.stem for path in JUDGE.glob("*.json"))
PASSED = ("ok", "slow", "undecided")
LANGUAGES = {"c": "cpu", "cuda": "cuda", "triton": "cuda"}
PLANTED = 1000  # least work in planted workloads, times what there is
# Of runs. Races leave nothing to chance: how often the default's launches find one, the part `races` counts; launches on warm caches follow each other in a moment.
OPTIONS = {"moment": ["--cache", "hot"], "race": ["--races", "1000"]}
NOT_SHOWN = ("build_failed", "load_failed", "unsupported", "not tried")  # says nothing about a judge


def language_of(name):
    last = name.rsplit("-", 1)[-1]
    return last if last in ("cuda", "triton") else "c"


class Family:
    """A workload of tests/judge: names of its implementations say what they are, honest, cheat-* or twin-*, with -cuda and -triton where they are not in C."""

    def __init__(self, name):
        self.name, self.path = name, JUDGE / f"{name}.json"
        self.workload = json.loads(self.path.read_text())
        self.options = OPTIONS.get(name, [])  # of a run that judges it

    def names(self, what, language):
        found = [i["name"] for i in self.workload["implementations"]]
        return [name for name in found if name.split("-")[0] == what and language_of(name) == language]

    def plant(self, folder):
        """Goes on with a copy in `folder`, which is the workload as it has been changed."""
        folder.mkdir()
        for sources in filter(pathlib.Path.is_dir, JUDGE.iterdir()):
            (folder / sources.name).symlink_to(sources)
        self.path = folder / self.path.name
        self.path.write_text(json.dumps(self.workload))


class Verdicts:
    """Of one run of some implementations of a family: which one was chosen, and status and reason of each."""

    def __init__(self, asctune, family, language, names, folder, cache, options=()):
        path = tuning.narrow(family.path, folder / "judge", dict.fromkeys(names, "1 == 1"))
        database = folder / "judge.db"
        database.unlink(missing_ok=True)  # what an earlier run found would be an answer here
        command = [asctune, "run", path, "--device", LANGUAGES[language], "--db", database, "--json", *options]
        python = ["--python", os.environ["ASCTUNE_PYTHON"]] if language == "triton" else []
        ran = subprocess.run([*map(str, command), *python], env=dict(os.environ, ASCTUNE_CACHE_DIR=str(cache)), capture_output=True, text=True)
        lines = [json.loads(line) for line in ran.stdout.splitlines()]
        self.said = ran.stderr.strip()
        self.status = {name: ("not tried", None) for name in names}
        for line in lines:
            if line["type"] == "trial":  # a later line of the same configuration counts
                self.status[line["implementation"]] = (line["status"], line.get("reason"))
        best = [line["best"] for line in lines if line["type"] == "summary" and line.get("best")]
        self.chosen = best[0]["implementation"] if best else None
        self.compared = self.read_compared(asctune, database, cache, lines) if self.chosen else {}

    @staticmethod
    def read_compared(asctune, database, cache, lines):
        """For each implementation: its median time, and how many of its launches were compared; of one that was wrong up to that launch."""
        shown = subprocess.run([asctune, "show", "run", "1", "--db", database, "--json"], env=dict(os.environ, ASCTUNE_CACHE_DIR=str(cache)), capture_output=True, text=True, check=True)
        compared = {f["implementation"]: (f["median_ns"], f.get("compared", 0)) for f in json.loads(shown.stdout)["finals"]}
        times = {line["implementation"]: statistics.median(line["samples_ns"]) for line in lines if line["type"] == "trial" and line.get("samples_ns")}
        for line in lines:
            wrong = re.match(r"in 1 of (\d+) launches", line.get("reason") or "") if line["type"] == "trial" else None
            if wrong:
                compared[line["implementation"]] = (times.get(line["implementation"], 0), int(wrong[1]))
        return {**{name: (ns, 0) for name, ns in times.items()}, **compared}


def languages(options):
    """Those that can be judged here."""
    kinds = subprocess.run([options.asctune, "list", "devices"], capture_output=True, text=True).stdout.splitlines()
    usable = {line.split()[0] for line in kinds if line.split()[1:2] == ["yes"]} & set(options.device)
    for language, kind in LANGUAGES.items():
        if kind not in usable or (options.language and language not in options.language):
            continue
        if language == "triton":
            os.environ.setdefault("ASCTUNE_PYTHON", sys.executable)
            if subprocess.run([os.environ["ASCTUNE_PYTHON"], "-c", "import triton"], capture_output=True).returncode:
                print("triton: $ASCTUNE_PYTHON has none")
                continue
        yield language


class Count:
    def __init__(self):
        self.cheats = self.chosen = self.named = self.honest = self.refused = self.not_shown = 0

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def judge_family(options, family, language, folder, cache, write):
    count, sample = Count(), 1 if options.sample else None
    honest = family.names("honest", language)
    for cheat in family.names("cheat", language)[:sample] if honest else []:
        v = Verdicts(options.asctune, family, language, [*honest, cheat], folder, cache, family.options)
        status, reason = v.status[cheat]
        if status in NOT_SHOWN or v.status[honest[0]][0] in NOT_SHOWN:
            count.not_shown += 1
            print(f"{family.name:10} {cheat:24} not shown: {status}: {reason or v.said[-200:]}", flush=True)
            continue
        count.cheats += 1
        count.chosen += v.chosen == cheat
        count.named += status not in PASSED
        if v.chosen == cheat and v.said:
            print(f"{'':10} {v.said[-400:]}")
        say = "CHOSEN" if v.chosen == cheat else "not named" if status in PASSED else "named"
        print(f"{family.name:10} {cheat:24} {say:10} {status}{f': {reason}' if reason else ''}", flush=True)
        write(family=family.name, language=language, name=cheat, expected="cheat", chosen=v.chosen == cheat, status=status, reason=reason)
    twins = family.names("twin", language)[:sample]
    v = Verdicts(options.asctune, family, language, [*honest, *twins], folder, cache, family.options) if honest else None
    for name in [*honest, *twins] if v else []:
        status, reason = v.status[name]
        count.honest += 1
        count.refused += status not in PASSED
        count.not_shown += status in NOT_SHOWN
        if status not in PASSED or name in twins:
            print(f"{family.name:10} {name:24} {'passed' if status in PASSED else 'REFUSED':10} {status}{f': {reason}' if reason else ''}", flush=True)
        write(family=family.name, language=language, name=name, expected="honest", chosen=v.chosen == name, status=status, reason=reason)
    return count


def by_triton(options, families):
    """Of the cheats in Triton, how many triton.autotune chooses: another program, since it needs torch and the GPU for itself."""
    program = pathlib.Path(__file__).with_name("inputs_triton.py")
    ran = subprocess.run([os.environ["ASCTUNE_PYTHON"], program, *families], text=True, capture_output=True)
    lines = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    if not lines:
        print(f"triton.autotune: nothing was chosen: {(ran.stderr.strip().splitlines() or ['it says nothing'])[-1]}")
        return
    for line in lines:
        print(f"{line['family']:10} {line['name']:24} triton.autotune {'chooses it' if line['chosen'] else line.get('reason') or 'does not choose it'}")
    print(f"triton.autotune chooses {sum(line['chosen'] for line in lines)} of {len(lines)} cheats")


def judge(options, limits):
    families = options.only or FAMILIES
    unknown = [name for name in families if name not in FAMILIES]
    if unknown:
        tuning.give_up(f"{', '.join(unknown)}: not among {', '.join(FAMILIES)}")
    total, output = Count(), open(options.json, "w", encoding="utf-8") if options.json else None

    def write(**what):
        if output:
            print(json.dumps(what), file=output, flush=True)
    with tuning.workplace() as folder:
        for language in languages(options):
            count = Count()
            for family in map(Family, families):
                count.add(judge_family(options, family, language, folder, folder / "cache", write))
            limits.most(f"{language}: cheats chosen of {count.cheats} ({count.named} named)", count.chosen, 0)
            limits.most(f"{language}: twins and honest kernels refused of {count.honest}", count.refused, 0)
            limits.most(f"{language}: kernels that were not built", count.not_shown, 0)
            total.add(count)
            if language == "triton":
                by_triton(options, families)
    if not total.cheats:
        tuning.give_up("no device of --device is usable here")


def plant_work(options, limits, folder):
    """A GPU's limits are its hardware's, so they are known before anything has run."""
    family = Family("physics")
    family.workload["least"] = {"bytes": f"{PLANTED} * sizeof(x)"}
    names = [*family.names("honest", "cuda"), *family.names("twin", "cuda")]
    family.plant(folder / "work")
    v = Verdicts(options.asctune, family, "cuda", names, folder, folder / "cache")
    for name in names:
        print(f"{family.name:10} {name:24} {': '.join(filter(None, v.status[name]))}")
    limits.least(f"planted: impossible times named of {len(names)}", sum(v.status[name][0] == "impossible" for name in names), len(names))


def plant_clock(options, limits, folder):
    """Each honest kernel beside a copy that halves the clock when it is loaded, in the process that measures both."""
    family = Family("physics")
    honest = [*family.names("honest", "c"), *family.names("twin", "c")]
    copies = [dict(i, name=f"halved-{i['name']}", source="halved/kernel.c") for i in family.workload["implementations"] if i["name"] in honest]
    family.workload["implementations"] += copies
    family.plant(folder / "clock")
    (folder / "clock/halved").mkdir()
    (folder / "clock/halved/clock.h").write_text(CLOCK.read_text())
    (folder / "clock/halved/kernel.c").write_text('#include "clock.h"\n#include "../physics/kernel.c"\n')
    halved = [copy["name"] for copy in copies]
    v = Verdicts(options.asctune, family, "c", [*honest, *halved], folder, folder / "cache")
    for name in [*honest, *halved]:
        print(f"{family.name:10} {name:24} {': '.join(filter(None, v.status[name]))}")
    limits.least(f"planted: halved clocks named of {len(halved)}", sum("clock runs slow" in (v.status[name][1] or "") for name in halved), len(halved))
    limits.most(f"planted: kernels beside them refused of {len(honest)}", sum(v.status[name][0] not in PASSED for name in honest), 0)
    limits.most("planted: halved clocks chosen", v.chosen in halved, 0)


def planted(options, limits):
    plants = {"c": plant_clock} if platform.machine() == "x86_64" else {}
    found = {language: plant for language, plant in {**plants, "cuda": plant_work}.items() if language in languages(options)}
    if not found:
        tuning.give_up("no device of --device is usable here")
    with tuning.workplace() as folder:
        for plant in found.values():
            plant(options, limits, folder)
    for language in {"c", "cuda"} - set(found):
        print(f"planted: nothing in {language}, which cannot be judged here")


PARTS = {"judge": judge, "planted": planted}
