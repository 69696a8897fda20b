"""What a gate of many kernels takes, and what one leaves that is killed."""
import json
import os
import re
import subprocess

import tuning
from gate_pairs import Repository

KERNELS, SHAPES = 30, (4096, 16384, 65536)
# Seconds on two processors, and on a GPU; None: there is no limit.
LIMITS = {"cpu": {"nothing": 1.5, "comments": 3, "one": 12, "all": None}, "cuda": {"nothing": 2.5, "comments": 3, "one": 20, "all": 300}}
KILLS = 200
LANGUAGES = {"cpu": ("c", "void {name}(const float *x, float *y, int64_t n)\n{{\n\tfor (int64_t i = 0; i < n; i++)\n\t\ty[i] = {factor} * x[i];\n}}\n", {}),
             "cuda": ("cu", "extern \"C\" __global__ void {name}(const float *x, float *y, long long n)\n{{\n\tconst long long i = (long long)blockIdx.x * blockDim.x +"
                            " threadIdx.x;\n\tif (i < n)\n\t\ty[i] = {factor} * x[i];\n}}\n", {"launch": {"grid": ["ceil_div(N, 256)"], "block": [256]}})}
REFERENCE = "#include <stdint.h>\n\nvoid reference(const double *x, double *y, int64_t n)\n{{\n\tfor (int64_t i = 0; i < n; i++)\n\t\ty[i] = {factor} * x[i];\n}}\n"


class Many(Repository):
    """Kernels of three shapes each, every one a workload with a source and a reference of its own."""

    def __init__(self, options, folder):
        super().__init__(options, folder)
        suffix, source, launch = LANGUAGES[options.device]
        arguments = [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]
        for k in range(KERNELS):
            name, factor = f"scale{k:02}", k + 2
            (self.tree / name).mkdir()
            self.write(name, f"kernel.{suffix}", ("#include <stdint.h>\n\n" if suffix == "c" else "") + source.format(name=name, factor=factor))
            self.write(name, "reference.c", REFERENCE.format(factor=factor))
            self.write("", f"{name}.json", json.dumps({
                "asctune": 1, "name": name, "operator": "scale", "description": f"y = {factor} x.",
                "problems": [{"name": f"n{n}", "dims": {"N": n}, "dtypes": {"T": "f32"}, "devices": [options.device]} for n in SHAPES],
                "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in"},
                            "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": 0, "rtol": 1e-6}}}}},
                "reference": {"source": f"{name}/reference.c", "entry": "reference", "arguments": arguments},
                "implementations": [{"name": "loop", "devices": [options.device], "source": f"{name}/kernel.{suffix}", "entry": name, "arguments": arguments, **launch}]}))
        self.commit()

    def write(self, folder, name, text):
        (self.tree / folder / name).write_text(text)

    def sources(self):
        return sorted(self.tree.glob("*/kernel.*"))

    def edit(self, sources, change):
        self.git("checkout", "-q", ".")
        for source in sources:
            source.write_text(change(source.read_text()))


def longer(text):
    """Each element again, as a sum that the compiler cannot leave out."""
    return re.sub(r"(\d+) \* x\[i\];", r"\1 * x[i] + (x[i] > 1e30f ? 1 : 0);", text)


def counted(limits, title, totals, **wanted):
    for what, most in wanted.items():
        limits.most(f"{title}: {what}", totals[what], most)


def say(title, totals, wall_s, limits, limit_s):
    verdicts = ", ".join(f"{totals[v]} {v}" for v in ("broken", "slower", "undecided", "faster", "same", "unchanged") if totals[v])
    print(f"{title}: {verdicts}; {totals['built']} built, {totals['measured']} measured, {wall_s:.2f} s", flush=True)
    if limit_s:
        limits.most(f"{title}: s", wall_s, limit_s)


def time_part(options, limits):
    limit_s = LIMITS[options.device]
    n = KERNELS * len(SHAPES)
    with tuning.workplace() as folder:
        many = Many(options, folder)
        many.gate()  # reads its own program, and what the device says of itself, for the first time
        _, totals, wall_s = many.gate()
        say("nothing changed", totals, wall_s, limits, limit_s["nothing"])
        counted(limits, "nothing changed", totals, built=0, measured=0)
        many.edit(many.sources(), lambda text: "/* a comment */\n" + text)
        _, totals, wall_s = many.gate()
        say("comments changed in all, with builds", totals, wall_s, limits, None)
        counted(limits, "comments changed in all", totals, measured=0)
        _, totals, wall_s = many.gate()
        say("comments changed in all, built before", totals, wall_s, limits, limit_s["comments"])
        counted(limits, "comments changed in all, built before", totals, built=0, measured=0)
        limits.least("comments changed in all: unchanged", totals["unchanged"], n)
        many.edit(many.sources()[:1], longer)
        _, totals, wall_s = many.gate()
        say("one kernel changed", totals, wall_s, limits, limit_s["one"])
        limits.say("one kernel changed: measured", totals["measured"], f"exactly {len(SHAPES)}", totals["measured"] == len(SHAPES))
        many.edit(many.sources(), longer)
        _, totals, wall_s = many.gate("--budget", "270s")  # which is of measuring alone
        say("all changed", totals, wall_s, limits, limit_s["all"])
        if limit_s["all"]:
            limits.least("all changed: measured", totals["measured"], n)


def kills(options, limits):
    """The test of the command line, at more moments."""
    moments = options.gates or KILLS
    ran = subprocess.run([tuning.ROOT / "tests/cli/gate_kill.t"], env=dict(os.environ, GATE_KILLS=str(moments), ASCTUNE_BUILD=str(options.asctune.parent)), capture_output=True, text=True)
    lines = ran.stdout.splitlines()
    planned = next((int(line[3:]) for line in lines if line.startswith("1..")), 0)
    failed = [line for line in lines if line.startswith(("not ok", "# ")) and not line.startswith("# seed")]
    print("\n".join(failed), end="\n" if failed else "", flush=True)
    passed = sum(line.startswith("ok ") for line in lines)
    limits.say(f"kills: checks that passed, at {moments} moments", passed, f"exactly {planned}", passed == planned > moments)
