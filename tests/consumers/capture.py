"""Has tests/consumers/capture_program.py recorded, case by case, and looks at the records; prints TAP. `capture.py SOURCES`: the folder of package asctune."""

import glob
import importlib.util
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

here, sources = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
work = tempfile.mkdtemp(prefix="asctune-capture.")
number = 0


def check(passed, name):
    global number
    number += 1
    print("ok" if passed else "not ok", number, "-", name, flush=True)


class Record:
    """Records that one command has left."""

    def __init__(self, case, command=None, environment=(), **options):
        self.folder = os.path.join(work, case)
        package = os.path.join(self.folder, ".python", "asctune_capture")
        os.makedirs(package)
        shutil.copy(os.path.join(sources, "start", "sitecustomize.py"), os.path.dirname(package))
        for file in ("_capture.py", "_cut.py"):
            shutil.copy(os.path.join(sources, file), package)
        with open(os.path.join(self.folder, "options.json"), "w") as file:
            json.dump({"kernel": None, "shapes": None, "save_bytes": 1 << 30, "widen": False, "reference": None, **options}, file)
        path = os.pathsep.join([os.path.dirname(package), *dict(environment).get("PYTHONPATH", "").split(os.pathsep), here])
        ran = subprocess.run([sys.executable, *(command or [os.path.join(here, "capture_program.py"), case.split("-")[0]])], capture_output=True, text=True,
                             env={**os.environ, "TRITON_CACHE_DIR": os.path.join(work, "cache"), **dict(environment), "PYTHONPATH": path, "ASCTUNE_CAPTURE": self.folder})
        self.status, self.output, self.said = ran.returncode, ran.stdout, ran.stderr
        self.files = sorted(glob.glob(os.path.join(self.folder, "records", "*")))
        lines = [line for file in self.files for line in open(file)]
        self.torn = [line for line in lines if not line.endswith("}\n")]
        self.lines = [json.loads(line) for line in lines if line not in self.torn]
        if ran.returncode not in (0, 7):
            print(f"# {case}: exit status {ran.returncode}\n# " + ran.stderr.replace("\n", "\n# "))

    def all(self, kind):
        return [line for line in self.lines if next(iter(line)) == kind]

    def last(self, kind, number=0):
        return [line for line in self.all(kind) if line[kind] == number][-1]

    def set(self, number=0, slot=0):
        """The members of a file: {name: (type, shape, bytes)}."""
        file, = {line["file"] for line in self.all("set") if line["set"] == number and line["slot"] == slot}
        with open(os.path.join(self.folder, file), "rb") as opened:
            data = opened.read()
        end = 8 + struct.unpack("<Q", data[:8])[0]
        return {name: (entry["dtype"], entry["shape"], data[end:][slice(*entry["data_offsets"])]) for name, entry in json.loads(data[8:end]).items()}


def table(by, rows):
    return {"by": by, "rows": rows}


def floats(data):
    return struct.unpack(f"{len(data) // 4}f", data)


record = Record("tuned")
kernel, problem, second = record.all("kernel")[0], record.last("problem"), record.last("problem", 1)
check(record.status == 0 and len(record.files) == 1, "the program ends as it does, with one file of records")
process = record.last("process", record.all("process")[-1]["process"])["process"]
check(process["device"]["target"] == "cuda:90" and process["python"] == sys.executable, "the process is told, with its target")
check(kernel["name"] == "saxpy" and kernel["tuner"]["keys"] == ["n"] and len(kernel["tuner"]["configs"]) == 6, "the kernel has its autotuner's list")
check(kernel["reason"] is None and "def saxpy(" in open(os.path.join(record.folder, kernel["source"])).read(), "and is written out")
check([p["constexpr"] for p in kernel["parameters"]] == [False] * 5 + [True] * 3, "parameters are told apart")
check(problem["arguments"][0] == {"name": "x", "tensor": "f32", "shape": [200], "strides": [1], "aligned": True, "storage": 0, "offset": 0}, "a tensor")
check(problem["arguments"][3:] == [{"name": "n", "int": 200}, {"name": "a", "real": 0.5}], "numbers")
check(problem["listed"] == [0, 1, 2, 3] and second["listed"] == [0, 1], "pruning is applied to each problem")
check(problem["grid"] == table(["BLOCK"], [[64, [4, 1, 1]], [128, [2, 1, 1]]]), "the grid depends on the block")
check(problem["constants"] == {"EVEN": table(["BLOCK"], [[64, False], [128, False]]), "SIDE": table([], [[3]])}, "a heuristic does, too; a default does not")
check(second["constants"]["EVEN"]["rows"] == [[64, True]], "and with other sizes otherwise")
check(problem["key"] == [["n", 200], ["x", "f32"], ["y", "f32"], ["out", "f32"]], "the autotuner's key")
check(problem["configuration"] == {"BLOCK": 64, "num_warps": 2, "num_ctas": 1, "num_stages": 3} == problem["default"], "what was launched")
check([record.last("seen", p)["calls"] for p in (0, 1)] == [3, 1] and len(record.all("problem")) == 2, "calls are counted by problem")
check(record.all("tuned")[-1]["launches"] == 3 * 6 and record.all("tuned")[-1]["seconds"] > 0, "the autotuner's launches are its own")
check(".visible .entry saxpy" in open(os.path.join(record.folder, problem["code"]["ptx"])).read(), "the code that ran is kept")
saved = record.set(slot=1)
check(saved["x"][:2] == ("F32", [200]) and floats(saved["x"][2]) == tuple(range(200)), "inputs are saved")
check(floats(saved["out:out"][2]) == tuple(1.5 * i for i in range(200)) and set(saved) == {"x", "y", "out", "out:out"}, "with what the launch changed")
check({line["slot"] for line in record.all("set") if line["set"] == 0} == {0, 1, 2}, "three calls are")
check(all(os.stat(file).st_mode & 0o77 == 0 for file in glob.glob(os.path.join(record.folder, "[!.]*", "*"))), "files are private")

record = Record("tuned-widened", widen=True)
problem = record.last("problem")
check(problem["widened"] == {"BLOCK": [32, 64, 128, 256, 512], "num_warps": [1, 2, 4, 8], "num_ctas": [1], "num_stages": [2, 3, 4]}, "lists are widened")
check(problem["grid"]["rows"][2:] == [[32, [7, 1, 1]], [256, [1, 1, 1]], [512, [1, 1, 1]]], "and so are tables")

record = Record("blocks")
problem, numbers, fixed = (record.last("problem", n) for n in range(3))
check(problem["widened"] == {"BLOCK": [64, 128, 256]} and problem["configuration"] == {"num_warps": 8, "num_stages": 3, "BLOCK": 128},
      "without an autotuner the blocks that the grid asks for are parameters")
check(problem["options"] == {"num_warps": 8} and problem["constants"]["EVEN"]["by"] == ["BLOCK"], "heuristics follow them")
check(numbers["arguments"][4] == {"name": "a", "real": 0.25}, "another number is another problem")
check(fixed["widened"] is None and fixed["grid"] == table([], [[[2, 1, 1]]]) and fixed["constants"]["BLOCK"] == table([], [[128]]), "a grid of numbers has none")

record = Record("again")
check(record.last("seen")["calls"] == 1000 and len(record.all("problem")) == 1, "both ways of a launch are one problem")
check(len(record.all("set")) < 40 and len({line["file"] for line in record.all("set")}) == 3, "few calls of many are saved, in three places")
check({line["slot"] for line in record.all("set")[3:]} == {0, 1, 2}, "drawn over the run")
check(Record("again-anew").all("set")[-1]["slot"] == record.all("set")[-1]["slot"], "the same ones each time")

record = Record("held")
check(record.last("problem")["widened"] == {"BLOCK": [64, 128, 256]}, "a class of the program's own with a kernel in it")
if importlib.util.find_spec("torch") is None:  # a package with the one class that is looked for stands for it
    inductor = os.path.join(work, "torch", "_inductor", "runtime")
    os.makedirs(inductor)
    with open(os.path.join(inductor, "triton_heuristics.py"), "w") as file:
        file.write("""
class CachingAutotuner:
    def __init__(self, fn):
        self.fn = fn

    def run(self, *args, **kwargs):
        return self.fn(*args)
""")
    with open(os.path.join(work, "torch", "__init__.py"), "w") as file:
        file.write("class Tensor:\n    pass\n")
    record = Record("inductor", command=["-c", """
import sys
import capture_program
sys.path.insert(0, %r)
from torch._inductor.runtime.triton_heuristics import CachingAutotuner
def kernel():
    return capture_program.launch_saxpy(200, capture_program.evened, BLOCK=64)
print(sum(map(len, (CachingAutotuner(kernel).run() for _ in range(3)))))
""" % work])
    check(record.output == "600\n" and record.all("skipped") == [{"skipped": "kernel", "reason": "launched by torch.compile", "calls": n} for n in (1, 2, 3)]
          and not record.all("problem"), "what torch.compile launches is named and counted")

record = Record("scalars")
check(record.last("seen")["calls"] == 1 + 24 + 1, "of problems that differ in numbers alone 16 are told apart")
check(len(record.all("problem")) == 256 and record.all("skipped")[-1]["reason"] == "more than 256 shapes" and record.all("skipped")[-1]["calls"] == 299 - 240,
      "and no more than 256 of a kernel")

record = Record("odd")
problems = [record.last("problem", n) for n in range(5)]
first, other = problems[0]["arguments"][:2]
check((first["strides"], first["aligned"], first["storage"], first["offset"]) == ([8, 1], False, 0, 4) and (other["storage"], other["offset"]) == (0, 128),
      "views of one memory have their places in it")
check(floats(record.set()["source"][2]) == tuple(8 * row + column + 1 for row in range(4) for column in range(4)), "and are saved in their logical order")
check(problems[0]["arguments"][2:] == [{"name": "n", "int": 16}, {"name": "big", "int": 1 << 40}, {"name": "real", "real": 1.5}, {"name": "flag", "truth": True},
                                       {"name": "maybe", "none": True}], "numbers, truth values and None")
check(problems[0]["constants"]["TYPE"] == table([], [[{"dtype": "f32"}]]), "a type as a constant")
check(problems[1]["reason"] == f"argument big is {1 << 60}, beyond 2^53" and problems[1]["arguments"][3]["int"] == str(1 << 60), "a number beyond 2^53 is a reason")
check(record.set(1)["to"] == ("F32", [0], b""), "a tensor without elements")
check(record.set(2)["source"][0] == "F8_E4M3" and record.set(2)["to"][:2] == ("BF16", [4, 4]), "float8, and bfloat16 as bytes")
spec = importlib.util.spec_from_file_location("recorder", os.path.join(sources, "_capture.py"))
recorder = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recorder)
check(problems[2]["arguments"][0]["tensor"] == "f8e4m3" and recorder.type_name("torch.float8_e5m2") == "f8e5m2", "types of 8 bits have a workload's names")
codes, view = bytes(range(256)), recorder.View.__new__(recorder.View)
view.type = "f8e5m2"
halves = [struct.unpack("<e", bytes((0, code)))[0] for code in codes]  # a half's upper byte
check(all(have == want or have != have and want != want for have, want in zip(view.numbers(codes), halves)), "numbers of f8e5m2")
view.type = "f8e4m3"
wanted = [(-1) ** (c >> 7) * ((1 + c % 8 / 8) * 2.0 ** (c // 8 % 16 - 7) if c // 8 % 16 else c % 8 * 2.0**-9) for c in codes]  # the format's definition
check(all(have != have if c & 127 == 127 else have == want for c, have, want in zip(codes, view.numbers(codes), wanted)), "numbers of f8e4m3")
check(problems[3]["reason"] == "argument pair is a tuple", "a tuple is a reason")
check(problems[4]["reason"] == "addresses holds addresses of the program's memory", "so are addresses in a tensor")
check({(line["reason"], line["calls"]) for line in record.all("skipped")} == {("no blocks", 1)}, "a grid without blocks is no launch")

record = Record("boxes")
problem = record.last("problem")
check(problem["arguments"][0]["descriptor"]["shape"] == [64, 64] and problem["arguments"][0]["box"] == [16, 64], "a descriptor, with its box")
check(problem["boxes"] == {"rows": table(["M"], [[16, [16, 64]], [32, [32, 64]]])} and record.all("kernel")[0]["tuner"]["pre_hook"], "a pre_hook sets boxes")

record = Record("forks")
calls = [[json.loads(line) for line in open(file)] for file in record.files]
check(record.status == 0 and len(calls) == 2, "a forked child has records of its own")
check([len([line for line in lines if "problem" in line]) for lines in calls] == [2, 1], "begun anew")
record = Record("inherits")
sets = [[json.loads(line)["file"] for line in open(file) if '"set"' in line] for file in record.files]
check(record.status == 0 and sets == [[f"data/{os.path.basename(file)[:-6]}.0.0.safetensors"] for file in record.files],
      "a forked child waits for no thread of its parent's, and records nothing that is the parent's")
record = Record("pool")
check({json.loads(open(file).readlines()[-1]).get("calls") for file in record.files} == {1, 7}, "a child of multiprocessing tells its last counts")
record = Record("lost")
check(record.status == 0 and len(record.files) == 1 and record.last("seen")["calls"] == 1 and "Traceback" not in record.said,
      "a forked child without a folder runs on, with nothing recorded")
record = Record("missed")
slots = [line["slot"] for line in record.all("set") if line["set"] == 0]
check(slots[:2] == [0, 2] and floats(record.set(slot=2)["x"][2]) == (7.0,) * 200, "a launch that does not come leaves nothing")
check(len(Record("workers").files) == 3, "workers have theirs")
check(Record("threads").last("seen")["calls"] == 81, "threads are counted")
record = Record("savers")
check(sum(record.last("seen", n)["calls"] for n in range(10)) == 480 and not record.all("skipped") and not glob.glob(os.path.join(record.folder, "data", "*.*s.*")),
      "threads that save at once do not hinder each other")
record = Record("crowd", save_bytes=60_000)
kept = [os.path.getsize(file) for file in glob.glob(os.path.join(record.folder, "data", "*"))]
check(record.status == 0 and len(kept) > 3 and sum(kept) <= 60_000, f"threads and processes that save at once stay below the limit: {sum(kept)}")
record = Record("closes")
check(record.output == "16 0\n" and record.last("seen", 1)["calls"] == 1, "a program that closes all files gets no records into its own")
record = Record("full")
check(len(record.torn) == 1 and record.last("problem", 1) and record.last("seen", 1), "after a while without space on the disk records go on")
record = Record("dies")
check(record.status == -9 and record.last("seen")["calls"] in (4, 5) and record.set(slot=2), "what was captured before a kill is whole")
check(Record("raises").status == 7, "the exit status is the program's own")
check(Record("exec").status == 0, "a function made by exec")

record = Record("tuned-secret", save_bytes=0)
ranges = record.all("set")[0]["ranges"]
check(not record.all("set")[0]["file"] and not os.listdir(os.path.join(record.folder, "data")), "without room nothing is saved")
check([round(n, 3) for n in ranges["x"]] == [0, 199, 99.5, 57.734] and ranges["out:out"][1] == 298.5, "but ranges are told")
record = Record("tuned-other", kernel="other*")
check(not record.all("problem") and record.all("skipped")[-1] == {"skipped": "__main__:saxpy", "reason": "not asked for", "calls": 4}, "other kernels are counted alone")
record = Record("blocks-reference", reference="capture_program:reference")
check(record.set(2)["out:out"][:2] == ("F64", [200]), "outputs are the reference's")
for name, reason in (("short", "it returns out of shape [3], expected [200]"), ("elsewhere", "it returns sum of shape [200], expected one of x, y, out"),
                     ("more", "the reference returns 2 outputs, and the launch has changed out: return them by name, as a dictionary"), ("fails", "ZeroDivisionError: division by zero")):
    record = Record(f"blocks-{name}", reference=f"capture_program:{name}")
    check(record.all("skipped")[-1]["skipped"] == "the reference" and record.all("skipped")[-1]["reason"] == reason and record.set(2)["out:out"][:2] == ("F32", [200]),
          f"a reference that cannot be used: {reason}")
check({(line["skipped"], line["reason"][:69]) for line in Record("tuned-reference", reference="capture_program:reference").all("skipped")}
      == {("the reference", "the reference returns 1 outputs, and the launch has changed nothing: ")}, "an output that held its result before, from an autotuner's launches, is not guessed")
record = Record("counts", reference="capture_program:counts")
check(struct.unpack("2d", record.set()["source:out"][2]) == (float(1 << 60), 3.0) and not record.all("skipped"), "which gets integers as they are")

if shutil.which("cc"):
    libraries = os.path.join(work, "libraries")
    os.mkdir(libraries)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", os.path.join(libraries, "libcuda.so.1"), os.path.join(here, "capture_cuda.c")], check=True)
    record = Record("cuda", environment={"LD_LIBRARY_PATH": libraries, "STUB_DEVICE": "cuda"}.items())
    check(record.all("process")[-1]["process"]["device"]["name"] == "Device of a test", "the device's name")
    check(record.all("set")[0]["left"]["x"] == "launched while a graph was recorded" and not record.all("set")[0]["file"], "nothing is copied while a graph is recorded")
    check(floats(record.set(slot=1)["out:out"][2]) == tuple(1.5 * i for i in range(200)), "copies from the device")
    check(record.last("seen") == {"seen": 0, "timed": 5, "time_ns": 5 * 250000, "calls": 9}, "launches are timed without a wait, the first one left out")
    check(record.last("problem", 1)["reason"] == "addresses holds addresses of the program's memory", "addresses that the driver has given out")
else:
    print("# no cc: nothing is checked on a device")

site = os.path.join(work, "site")
os.mkdir(site)
with open(os.path.join(site, "sitecustomize.py"), "w") as file:
    file.write("import sys; print('next', 'triton' in sys.modules, 'json' in sys.modules)")
record = Record("plain", command=["-c", "print('done')"], environment={"PYTHONPATH": site}.items())
check(record.output == "next False False\ndone\n" and not record.files, "the next sitecustomize runs; nothing is imported or kept without Triton")
record = Record("blocks-twice", environment={"PYTHONPATH": os.path.join(sources, "start")}.items())
check(record.status == 0 and record.last("seen")["calls"] == 2 and len(record.files) == 1, "a capture in another one, or with a table given: each launch counts once")
record = Record("scripted", command=["-c", "import runpy, sys; sys.argv = ['', 'tuned']; runpy.run_path(%r, run_name='__main__')" % os.path.join(here, "capture_program.py")])
check(record.last("seen")["calls"] == 3, "a script inside another")
record = Record("closed", command=["-c", "import os, shutil, sys; shutil.rmtree(os.environ['ASCTUNE_CAPTURE']); import stub_driver; print('done')"])
check(record.status == 0 and record.output == "done\n", "a folder that cannot be written is the record's loss alone")
shutil.rmtree(work)
print(f"1..{number}")
