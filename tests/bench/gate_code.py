"""What a gate says that a change did to machine code, beside the disassembler's own listings."""
import collections
import re
import subprocess

import tuning
from code_listed import find_nvdisasm, listed
from gate_time import Many

PAIRS = 20
# One change for each kernel, in turns: the expression behind its factor.
CHANGES = ("x[i] + 1.5f", "x[i] * x[i]", "(x[i] > 0 ? x[i] : -x[i])", "x[i] / (x[i] + 2)", "(float)(int)x[i]")


def differing(of, nvdisasm):
    """Why opcodes of a kernel are not those of the listings; "": they are."""
    for kernel in of.get("code", []):
        for side in "base", "head":
            have = collections.Counter({o["name"]: o[side] for o in kernel.get("opcodes", []) if o[side]})
            want = listed(kernel[side]["file"], nvdisasm)
            if have != want or not want:
                return f"{side}: {dict(have - want)} more, {dict(want - have)} less than listed"
        if "not_compared" in kernel:
            return kernel["not_compared"]
    return "" if of.get("code") else "nothing is said of its code"


def code(options, limits):
    """Kernels of the repository that are changed, then the pairs of tests/bench/code_pairs: C, CUDA C++ and Triton."""
    nvdisasm, wrong = find_nvdisasm(), 0
    if options.device != "cpu" and not nvdisasm:
        tuning.give_up("there is no nvdisasm, in PATH or in the Python with Triton (ASCTUNE_PYTHON)")
    with tuning.workplace() as folder:
        many = Many(options, folder)
        for number, source in enumerate(many.sources()[:PAIRS]):
            change = CHANGES[number % len(CHANGES)]
            source.write_text(re.sub(r"\* x\[i\];", f"* {change};", source.read_text()))
        kernels, _, _ = many.gate("--problem", "n4096")
        kernels = {name: of for name, of in kernels.items() if of["verdict"] != "unchanged"}
        for name, of in kernels.items():
            why = differing(of, nvdisasm)
            wrong += bool(why)
            if why:
                print(f"{'/'.join(name)}: {why}", flush=True)
    limits.least("pairs of a gate", len(kernels), PAIRS)
    limits.most("pairs of a gate whose opcodes are not those of the listings", wrong, 0)
    ran = subprocess.run([tuning.ROOT / "tests/bench/code_pairs"])
    limits.say("tests/bench/code_pairs: exit status", ran.returncode, "exactly 0", ran.returncode == 0)
