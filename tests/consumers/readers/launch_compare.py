"""Holds workloads that `asctune init --from` makes to the launches of the library's own layers, for ci/consumers: NAME PACKAGE_FOLDER VERSION ASCTUNE READER_LAUNCHES SEED

For random layers, types, GPUs and configurations (asctune's own samples of the space, and the library's default) arguments, constants, options and grid of each launch have to be
equal. For each reader a line is printed. Exit status 1, with launches that differ, where not all are equal.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from launch_libraries import LIBRARIES, OPTIONS
from reader_libraries import Gone

LEAST = 50
MODELS = {"sm_80": 80, "sm_89": 89, "sm_90": 90, "sm_100": 100}  # the first has no fp8
BLOCKS = ((128, 128), (128, 128), (64, 128), (128, 64), (32, 32), (256, 512))
LADDER = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 1536, 2048, 3072, 4096)
TYPES = ("bf16", "f16", "fp8_w8a8", "block")


def random_layer(rnd, kind, number):
    """Sizes and type, without rows; each type in turn."""
    if kind == "block-fp8":
        block_n, block_k = rnd.choice(BLOCKS)
        return {"N": rnd.choice((rnd.randrange(1, 9000), 128 * rnd.randrange(1, 60))), "K": rnd.choice((rnd.randrange(1, 9000), 128 * rnd.randrange(1, 60))),
                "block_n": block_n, "block_k": block_k}, rnd.choice(("bf16", "f16"))
    experts = rnd.choice((1, 2, 7, 8, 16, 60, 64, 128, 160, 256, 512))
    sizes = {"E": experts, "N": rnd.choice((rnd.randrange(1, 5000), 64 * rnd.randrange(1, 60))), "K": rnd.choice((rnd.randrange(1, 5000), 64 * rnd.randrange(1, 100))),
             "top_k": rnd.randrange(1, min(experts, 10) + 1)}
    dtype = TYPES[number % len(TYPES)]
    if dtype == "block":
        dtype, (block_n, block_k) = "fp8_w8a8", rnd.choice(BLOCKS)
        most = max(block_n, block_k)
        sizes.update(N=most * rnd.randrange(1, 9), K=most * rnd.randrange(1, 17), block_n=block_n, block_k=block_k)
    return sizes, dtype


def ask(program, lines):
    done = subprocess.run([program], input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def normal(library, kind, launch):
    """A launch of asctune's as one of the library's: by the kernel's names."""
    compiled = library.constants(kind)
    kernel = library.moe_kernel if kind == "moe" else library.fp8_kernel
    places = [name for name in kernel.names if name not in compiled]
    if len(places) != len(launch["arguments"]):
        return {"grid": launch["grid"], "arguments": {"number": len(launch["arguments"])}}
    passed = {name: {k: v for k, v in a.items() if k != "tensor"} if isinstance(a, dict) else a for name, a in zip(places, launch["arguments"])}
    return {"grid": launch["grid"], "arguments": {**OPTIONS, **kernel.defaults, **passed, **launch["values"]}}


def differences(theirs, ours):
    """What differs: a value, or its kind, as True is another constant than 1."""
    parts = [] if theirs["grid"] == ours["grid"] else [f"grid {theirs['grid']}, {ours['grid']}"]
    for name in {**theirs["arguments"], **ours["arguments"]}:
        a, b = (side["arguments"].get(name, "nothing") for side in (theirs, ours))
        if a != b or type(a) is not type(b):
            parts.append(f"{name} {a}, {b}")
    return parts


def questions(rnd, asctune, kind, reader, package, work, n_layers):
    """(line for asctune, sizes, type, configuration or None for the default, capability) of random layers."""
    for number in range(n_layers):
        sizes, dtype = random_layer(rnd, kind, number)
        rows = sorted({1, rnd.choice(LADDER), rnd.randrange(1, 5000)})
        name = f"{reader.replace(':', '-')}-{number}"
        said = ",".join(f"{k}={v}" for k, v in {**sizes, "dtype": dtype}.items())
        made = subprocess.run([asctune, "init", name, "--from", reader, "--set", f"M={','.join(map(str, rows))},{said}", "--package", package], cwd=work, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            sys.exit(f"{reader}: init of {said}: {made.stdout}")
        file = Path(work, name, f"{name}.json")
        content = json.loads(file.read_text())
        names = list(content["implementations"][0]["parameters"])
        for problem in content["problems"]:
            model, capability = rnd.choice(list(MODELS.items())[dtype == "fp8_w8a8" or kind == "block-fp8":])
            listed = subprocess.run([asctune, "space", file, "--device", model, "--problem", problem["name"], "--sample", "2", "--seed", str(rnd.randrange(1000))], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
            samples = [dict(zip(names, map(int, line.split(",")))) for line in listed.split()]
            for config in [None, *samples]:
                text = ",".join(f"{k}={v}" for k, v in (config or problem["default"]).items())
                yield f"{file}\t{problem['name']}\t{model}\t{text}", problem["dims"], dtype, config, capability


def compare(library, reader, version, package, asctune, program, seed):
    rnd, kind = random.Random(f"{seed} {reader} launches"), reader.split(":")[1]
    cases, wrong = 0, []
    with tempfile.TemporaryDirectory(prefix="asctune-launches.") as work:
        asked = list(questions(rnd, asctune, kind, reader, package, work, 12 if kind == "moe" else 8))
        for (line, *question), ours in zip(asked, ask(program, [q[0] for q in asked])):
            words = line.split("\t")[1:]
            try:
                theirs = library.launches(kind, *question)
            except Exception as e:
                wrong.append(f"{question}: the library fails: {type(e).__name__}: {e}")
                continue
            own = [normal(library, kind, launch) for launch in ours.get("launches", []) if launch["source"] != "alignment.py"]
            cases += max(len(theirs), 1)
            if len(theirs) != len(own):
                wrong.append(f"{words}: {len(theirs)} launches, {len(own)} of asctune's: {ours.get('refused')}")
            for number, (a, b) in enumerate(zip(theirs, own)):
                parts = differences(a, b)
                if parts:
                    wrong.append(f"{question[:2]} {words}, launch {number}: the library's and asctune's: {'; '.join(parts)}")
    if cases < LEAST:
        wrong.append(f"{cases} launches, expected {LEAST} or more")
    print(f"{reader}, version {version}: {cases} launches, right: {'all' if not wrong else f'all but {len(wrong)}'}")
    for text in wrong[:8]:
        print(f"  {text}")
    return not wrong


def main(name, package, version, asctune, program, seed):
    package, asctune = Path(package).absolute(), Path(asctune).absolute()  # `init` runs elsewhere
    library = LIBRARIES[name](package)
    return 0 if all([compare(library, reader, version, package, asctune, program, seed) for reader in library.readers]) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Gone as gone:
        sys.exit(f"{sys.argv[1]}: the launcher is another one: {gone}")
