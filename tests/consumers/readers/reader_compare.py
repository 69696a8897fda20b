"""Asks a library and asctune the same questions about tables that asctune exported, for ci/consumers:
NAME PACKAGE_FOLDER VERSION ASCTUNE READER_ANSWERS SEED

Questions: sizes of rows, beside and between them; misses: layers, types, devices and kernels that nothing was tuned for; stale and foreign files. For each reader a line is printed.
Exit status 1, with questions that are answered otherwise, where not all are right; 3 where a program is missing. With --changes, NAME PACKAGE_FOLDER VERSION PINNED_FOLDER
PINNED_VERSION, it names the functions of the look-up whose text differs; exit status 3 where the versions are one.
"""
import contextlib
import dataclasses
import json
import math
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from reader_libraries import LIBRARIES, Gone, Missing, Served, texts
from reader_tables import DEVICES, TRITON, Tuned

SHARED_BYTES = 232448  # of a block on sm_90
LEAST = {"questions": 200, "misses": 5, "stale or foreign files": 5}


@dataclasses.dataclass
class Question:
    reader: str
    device: str
    kernel: str
    sizes: dict
    types: dict
    triton: str = TRITON
    shared_bytes: int = SHARED_BYTES
    arch: str = "sm_90"

    def line(self, folder):
        def words(values):
            return [len(values), *(w for k, v in values.items() for w in (k, str(v).lower() if isinstance(v, bool) else v))]
        return "\t".join(map(str, [self.reader, folder, self.triton, self.device, self.arch, self.kernel, self.shared_bytes, *words(self.sizes), *words(self.types)]))

    def __str__(self):
        return f"{self.reader} on {self.device}, {', '.join(f'{k}={v}' for k, v in {**self.sizes, **self.types}.items())}"


class Rule:
    """asctune's rule: answers as the libraries give them, with what they are of in "by" and "exact"."""

    def __init__(self, program):
        self.program = program

    def answers(self, asked):
        lines = "".join(q.line(folder) + "\n" for q, folder in asked)
        done = subprocess.run([self.program], input=lines, capture_output=True, text=True, check=True)
        return [self._read(json.loads(line)) for line in done.stdout.splitlines()]

    def files(self, asked):
        """Names of the files that are asked for."""
        done = subprocess.run([self.program], input="".join(q.line(folder) + "\n" for q, folder in asked), capture_output=True, text=True, check=True)
        return [json.loads(line)["file"] for line in done.stdout.splitlines()]

    def _read(self, a):
        said = {"refused": {"refused": a.get("reason")}, "own": {"own": a.get("config")}}.get(a["by"], {"config": a.get("config")})
        return {**said, "by": a["by"], "exact": a.get("exact", False)}


def same(theirs, ours):
    """Refusals are equal whatever their words."""
    if "refused" in ours:
        return "refused" in theirs
    kind = "own" if "own" in ours else "config"
    return kind in theirs and theirs[kind] == ours[kind]


# ---- questions ----

def problem_of(reader, device, sizes, types):
    kind = reader.split(":")[-1]
    kernel = {"fla": "chunk_fwd_kernel_o", "ninetoothed": "moe_gemm", "triton": "asked_kernels:scale", "flaggems": "flag_gems.ops.mm:mm_kernel_general"}.get(kind, kind)
    named = {"triton": {"x": "T", "y": "U"}, "flaggems": {"A": "T", "B": "T", "C": "U"}}.get(kind, {name: name for name in types})
    return Question(reader, device, kernel, sizes, {"dtype": types["T"]} if ":" in reader else {name: types[own] for name, own in named.items()})


def random_question(rnd, reader, problems):
    """Where rows are found by the nearest size: the size of a row, one beside it, between two, or anywhere; else a key that has a row, or one of other values."""
    sizes, types = rnd.choice(problems)
    if ":" in reader:
        near, other = sizes["M"], rnd.choice(problems)[0]["M"]
        m = rnd.choice((near, near + 1, max(near - 1, 1), (near + other) // 2, max((near + other) // 2 - 1, 1), rnd.randrange(1, 9000)))
        return problem_of(reader, rnd.choice(DEVICES), {**sizes, "M": m}, types)
    if rnd.random() < 0.5:
        sizes = {k: rnd.choice(problems)[0][k] for k in sizes}
        types = {k: rnd.choice(problems)[1][k] for k in types}
    if reader == "flaggems":  # rounded up to the same key
        sizes = {k: v - rnd.choice((0, 0, rnd.randrange(32))) for k, v in sizes.items()}
    return problem_of(reader, rnd.choice(DEVICES), sizes, types)


def random_miss(rnd, reader, problems):
    """A question to whose file nothing was exported."""
    q = random_question(rnd, reader, problems)
    if reader == "triton":  # which tells no GPUs of one architecture apart
        return dataclasses.replace(q, **rnd.choice(({"arch": "sm_100"}, {"kernel": "asked_kernels:other"}, {"sizes": {**q.sizes, "n": q.sizes["n"] + 1}})))
    if reader == "flaggems":
        return dataclasses.replace(q, **rnd.choice(({"device": "NVIDIA B200"}, {"device": "NVIDIA H200"}, {"sizes": {**q.sizes, "K": q.sizes["K"] + 32}})))
    if ":" not in reader:
        return dataclasses.replace(q, **rnd.choice(({"device": "NVIDIA B200"}, {"kernel": "other_kernel"}, {"device": "NVIDIA GeForce RTX 4090"})))
    # A device of less shared memory has another default in SGLang.
    changes = [{"device": "NVIDIA B200"}, {"device": "NVIDIA GeForce RTX 4090", "shared_bytes": 101376}, {"sizes": {**q.sizes, "N": q.sizes["N"] + 128}}]
    if reader.endswith(":moe"):
        changes += [{"sizes": {**q.sizes, "E": q.sizes["E"] + 1}}, {"types": {"dtype": "f8e4m3" if q.types["dtype"] != "f8e4m3" else "f32"}},
                    {"types": {"dtype": "f8e4m3"}, "sizes": {**q.sizes, "block_n": 128, "block_k": 128}}]
    return dataclasses.replace(q, **rnd.choice(changes))


# ---- files that are not as they were exported ----

ROW = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 2}
TORN = ("cut in its middle", lambda text: text[:len(text) // 2])
# What becomes of a file's text, and what a reader does with it: None where that is for the library to say.
CHANGES = {
    "rows": [TORN, ("empty", lambda text: ""), ("no JSON", lambda text: "1,2\n"), ("a list", lambda text: "[]"),
             ("with a comment as a row", lambda text: json.dumps({"comment": "mine", "1": ROW})),
             ("that says its Triton", lambda text: json.dumps({"triton_version": TRITON, "1": ROW})),
             ("of one row", lambda text: json.dumps({"512": ROW})),
             ("of rows in another order, asked between two", lambda text: json.dumps({"4096": ROW, "1": {**ROW, "num_warps": 8}, "512": {**ROW, "num_stages": 3}}))],
    "fla": [TORN, ("empty", lambda text: ""), ("a list", lambda text: "[]"), ("with a list of entries", lambda text: '{"autotune_entries": []}'),
            ("with an entry without a configuration", lambda text: '{"autotune_entries": {"00": {"autotune_key": [7]}}, "default_config": null}'),
            ("without a row for the rest", lambda text: '{"autotune_entries": {}, "default_config": null}')],
    "ninetoothed": [("cut behind a configuration", lambda text: "\n".join(text.splitlines()[:3])), ("no CSV", lambda text: "\n64,64,4,2\n{}\n64,64,4,2\n"),
                    ("with a name in a row", lambda text: text + "size\n64\n"), ("with a real", lambda text: text + "1.5,2\n64,64,4,2\n"),
                    ("of another kernel's configurations", lambda text: "\n64,64,4,2\n7\n32,32,4,2\n")],
    "triton": [TORN, ("empty", lambda text: ""), ("a list", lambda text: "[]"), ("without times", lambda text: '{"key": [1]}'),
               ("without a configuration", lambda text: '{"configs_timings": []}'), ("with an option of another Triton", lambda text: text.replace('"num_ctas"', '"num_clusters"')),
               ("of several, as Triton writes it", lambda text: timings([[64, 4, [2.0, 1.0, 3.0]], [128, 8, [1.5, 1.25, 3.0]], [32, 4, [1.5, 1.0, 3.0]]])),
               ("with one that could not be launched", lambda text: timings([[256, 8, [math.inf] * 3], [64, 4, [0.5, 0.5, 0.5]]])),
               ("with times of two forms", lambda text: timings([[256, 8, 1.0], [64, 4, [0.5, 0.5, 0.5]]]))],
    "flaggems": [("cut in its middle", lambda file: file.write_bytes(file.read_bytes()[:len(file.read_bytes()) // 2])), ("empty", lambda file: file.write_bytes(b"")),
                 ("that is none of SQLite", lambda file: file.write_text("1,2\n" * 2000)),
                 ("with tables of another text of the kernel", lambda file: each_table(file, 'ALTER TABLE "{0}" RENAME TO "mm_kernel_general_0-{0}"')),
                 ("without rows", lambda file: each_table(file, 'DELETE FROM "{0}"')), ("with another warp", lambda file: each_table(file, 'UPDATE "{0}" SET num_warps = 2')),
                 ("without a primary key", lambda file: each_table(file, 'CREATE TABLE "k{0}" AS SELECT * FROM "{0}"', 'DROP TABLE "{0}"', 'ALTER TABLE "k{0}" RENAME TO "{0}"')),
                 ("of another Triton", lambda file: file.rename(file.with_name("TunedConfig_NVIDIA_H100_80GB_HBM3_triton_2_9.db")))],
}


def timings(rows):
    """A file of Triton's: blocks, warps and times."""
    return json.dumps({"key": [1], "configs_timings": [
        [{"kwargs": {"BLOCK": block}, "num_warps": warps, "num_ctas": 1, "num_stages": 3, "maxnreg": None, "pre_hook": None}, times] for block, warps, times in rows]})


def each_table(file, *statements):
    with contextlib.closing(sqlite3.connect(file)) as sql, sql:
        for name, in sql.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            for statement in statements:
                sql.execute(statement.format(name))


def changed_files(rnd, reader, problems, rule, exported):
    """(what was done, question, folder), each folder a copy in which one file is changed."""
    cases = []
    for number, (name, change) in enumerate(CHANGES.get(reader, CHANGES["rows"])):
        question = problem_of(reader, DEVICES[0], *rnd.choice(problems))
        if ":" in reader:
            question.sizes = {**question.sizes, "M": rnd.choice((256, 2304))}
        cases.append((name, change, question, Path(f"{exported}.{reader.replace(':', '-')}.{number}")))
    for (name, change, question, folder), file in zip(cases, rule.files([(question, exported) for _, _, question, _ in cases])):
        shutil.copytree(exported, folder)
        if reader == "flaggems":
            change(folder / file)
        else:
            (folder / file).write_text(change((folder / file).read_text()))
        yield f"a file {name}", question, folder
    # A file of this problem for another device alone.
    question = problem_of(reader, "NVIDIA B200", *rnd.choice(problems))
    if reader == "triton":
        question.arch = "sm_100"
    yield "a file of another device", question, exported


def other_triton(library, reader, question, folder, rule):
    """A table of an older Triton: SGLang takes it with a warning, the others take it and do not look."""
    theirs = library.answer(dataclasses.replace(question, triton="3.7.0"), folder)
    ours, = rule.answers([(question, folder)])
    warned = "Fallback to triton version" in library.log.said
    return same(theirs, ours) and warned == (reader == "sglang:moe"), theirs, ours


def refused(library, tuned, reader, rule, question, exported):
    """(what was done, right, what was said) of results, Pythons and kernels that are others than those that were measured."""
    none = f"{exported}.none"
    tuned.say_triton("3.2.0")
    code, said = tuned.run(reader, "-o", none)
    tuned.say_triton()
    yield "an export of results of another Triton", code == 2 and "3.2.0" in said and library.triton in said, said
    with changed_environment(ASCTUNE_PYTHON="/nonexistent/python"):
        code, said = tuned.run(reader, "-o", none)
    yield "an export without a Python", code == 3, said
    with changed_environment(PYTHONPATH=str(Path(__file__).parent)) if reader == "flaggems" else changed_environment(ASCTUNE_PYTHON="/usr/bin/python3"):
        code, said = tuned.run(reader, "-o", none)
    yield "an export without the library", code == 3 and "no module" in said, said
    if reader == "flaggems":
        code, said = tuned.run(reader, "-o", none, "--set", "version=5.0.1")
        yield "an export for another FlagGems", code == 2 and "5.0.1" in said and "5.0.2" in said, said
        return
    # The kernel's text a line further down.
    moved = Path(f"{exported}.moved")
    moved.mkdir()
    (moved / "asked_kernels.py").write_text("\n" + Path(__file__).with_name("asked").joinpath("asked_kernels.py").read_text())
    with changed_environment(PYTHONPATH=f"{moved}"):
        library.forget()
        theirs, (ours,) = library.answer(question, exported), rule.answers([(question, exported)])
        code, said = tuned.run("--check", next(exported.rglob("*.evidence.json")))
    yield "a kernel that has moved a line", "own" in theirs and same(theirs, ours), f"{theirs} {ours}"
    yield "--check of a kernel that has moved a line", code == 1 and "triton does not ask for it" in said, said


@contextlib.contextmanager
def changed_environment(**variables):
    before = {name: os.environ.get(name, "") for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.update(before)


def checked(tuned, reader, exported):
    """(what was done, right, what `asctune export --check` said): it names a table that is stale, and no other."""
    copy = Path(f"{exported}.checked")
    if reader == "triton":  # which is asked for each file: one of them
        one = next(f for f in sorted(exported.iterdir()) if any(f.iterdir()))
        exported = Path(f"{exported}.one")
        shutil.copytree(one, exported / one.name)
    code, said = tuned.run("--check", exported)
    yield "--check of what was exported", code == 0, said
    shutil.copytree(exported, copy)
    evidence = min(copy.rglob("*.evidence.json"))
    file = evidence.with_name(evidence.name[:-len(".evidence.json")])
    if reader == "flaggems":
        each_table(file, 'UPDATE "{0}" SET num_warps = 2')
    else:
        file.write_text(re.sub('"num_warps":[48]', '"num_warps":2', file.read_text()).replace(",4,", ",2,"))
    code, said = tuned.run("--check", copy)
    yield "--check of a row that was changed", code == 1 and str(file.name) in said, said
    shutil.rmtree(copy)
    tuned.say_triton("3.7.0")
    code, said = tuned.run("--check", exported)
    tuned.say_triton()
    yield "--check beside results of another Triton", code == 1 and "Triton" in said and "3.7.0" in said, said


# ---- the comparison ----

class Comparison:
    def __init__(self, reader, version):
        self.reader, self.version = reader, version
        self.cases, self.wrong = dict.fromkeys(LEAST, 0), []

    def add(self, kinds, right, what, theirs="", ours=""):
        for kind in kinds:
            self.cases[kind] += 1
        if not right:
            self.wrong.append(f"{what}: the library {theirs}, asctune {ours}" if ours else f"{what}: {theirs}")

    def finish(self):
        for kind, least in LEAST.items():
            if self.cases[kind] < least:
                self.wrong.append(f"{self.cases[kind]} {kind}, expected {least} or more")
        questions, misses, files = self.cases.values()
        print(f"{self.reader}, version {self.version}: {questions + files} cases ({questions} random questions, {misses} of them misses; {files} stale or foreign files), "
              f"right: {'all' if not self.wrong else f'all but {len(self.wrong)}'}")
        for text in self.wrong[:8]:
            print(f"  {text}")
        return not self.wrong


def compare(library, reader, version, tuned, rule, exported, seed):
    rnd = random.Random(f"{seed} {reader}")
    problems = tuned.problems[reader.split(":")[-1]]
    result = Comparison(reader, version)
    asked = [(random_question(rnd, reader, problems), exported) for _ in range(240)] + [(random_miss(rnd, reader, problems), exported) for _ in range(40)]
    for (question, folder), ours in zip(asked, rule.answers(asked)):
        theirs = library.answer(question, folder)
        result.add(("questions",) if ours["by"] == "row" else ("questions", "misses"), same(theirs, ours), question, theirs, ours)
    changed = list(changed_files(rnd, reader, problems, rule, exported))
    for (what, question, folder), ours in zip(changed, rule.answers([c[1:] for c in changed])):
        library.forget()
        theirs = library.answer(question, folder)
        result.add(("stale or foreign files",), same(theirs, ours), f"{what}, {question}", theirs, ours)
    library.forget()
    question = problem_of(reader, DEVICES[0], *problems[0])
    if isinstance(library, Served):
        for what, right, said in refused(library, tuned, reader, rule, question, exported):
            result.add(("stale or foreign files",), right, what, said)
    else:
        right, theirs, ours = other_triton(library, reader, question, exported, rule)
        result.add(("stale or foreign files",), right, f"a table of another Triton, {question}", theirs, ours)
    for what, right, said in checked(tuned, reader, exported):
        result.add(("stale or foreign files",), right, what, said)
    library.forget()
    return result.finish()


def main(name, package, version, asctune, answers, seed):
    root = Path(__file__).resolve().parents[3]
    right = True
    with tempfile.TemporaryDirectory(prefix="asctune-readers.") as work:
        tuned = Tuned(asctune, root / "db" / "schema.sql", work, seed)
        exported = Path(work, name)
        library = LIBRARIES[name](package)
        if isinstance(library, Served):
            tuned.triton = library.triton
            tuned.say_triton()
        else:  # the Triton of a Python here is none of the results'
            os.environ["ASCTUNE_PYTHON"] = "/nonexistent/python"
        code, said = tuned.run(name, "--unproved", "-o", exported, *{"triton": ("--set", f"device={DEVICES[0]}"), "flaggems": ("--set", f"version={version}")}.get(name, ()))
        if code:
            sys.exit(f"{name}: nothing is exported: {said}")
        for reader in library.readers:
            right = compare(library, reader, version, tuned, Rule(answers), exported, seed) and right
    return 0 if right else 1


def changes(name, package, version, pinned, pinned_version):
    """Says what of the look-up has another text than in the pinned package; gives 3 where that is the newest."""
    if version == pinned_version:
        print(f"{name}: {version} is the newest")
        return 3
    library, said = LIBRARIES[name], f"{name}: {version} instead of {pinned_version}"
    try:
        old, new = (texts(place, library.FUNCTIONS, library.FILES) for place in (pinned, package))
    except Gone as gone:
        print(f"{said}: the look-up is another one: {gone}")
        return 1
    other = [f"{path}: {part}" if part else path for (path, part), text in old.items() if new.get((path, part)) != text]
    print(f"{said}: {', '.join(other) + ' changed' if other else 'the same look-up'}")
    return 0


if __name__ == "__main__":
    try:
        if sys.argv[1] == "--changes":
            sys.exit(changes(*sys.argv[2:]))
        else:
            sys.exit(main(*sys.argv[1:]))
    except Gone as gone:
        print(f"{sys.argv[1]}: the look-up is another one: {gone}")
        sys.exit(1)
    except Missing as missing:
        print(f"{sys.argv[1]}: cannot be asked: {missing}")
        sys.exit(3)
