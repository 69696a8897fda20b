"""Tables given to kernels of Triton, by a decorator and by `apply`. FOLDER, where tables are written"""
import glob
import json
import os
import signal
import subprocess
import sys
import threading
import traceback

import stub_driver
import triton
import triton.language as tl

import a_library
import asctune
from asctune import _capture

FOLDER = sys.argv[1]
_capture.device = lambda: ("cuda", "NVIDIA H200")
number = 0
lines = []


def check(passed, name):
    global number
    number += 1
    print("ok" if passed else "not ok", number, "-", name)


class Heard:
    """Standard error, line by line."""

    def write(self, text):
        lines.extend(line for line in text.split("\n") if line)

    def flush(self):
        pass


sys.stderr, sys.excepthook = Heard(), lambda *e: print("".join(traceback.format_exception(*e)))


def row(op, source, n, config, model="NVIDIA H200", kind="T", mode=None, elements=None):
    types = {"x": kind, "y": "f32", "@source": source, **({"mode": mode} if mode else {})}
    return {"operator": "any", "problem_values": {"dims": {"n": n, "all": elements or 2 * n, "atol": 0.5}, "dtypes": {"T": "f32"}}, "device_kind": "cuda",
            "device_model": model, "cache_policy": "cold", "implementation": "triton", "implementation_index": -1, "config": config, "median_ns": 10,
            "export": {"triton": {"operator": op, "sizes": {"n": "n", "@elements": "all"}, "types": types}}}


def table(name, *rows):
    path = os.path.join(FOLDER, name)
    with open(path, "w") as file:
        json.dump({"format": "asctune-best", "version": 1, "configurations": rows}, file)
    return path


@triton.jit
def kernel(x, y, n, mode: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


OP, SOURCE = f"{kernel.fn.__module__}:kernel", _capture.source_digest(kernel)
hooked = []
configs = [triton.Config({"B": 256}, num_warps=4), triton.Config({"B": 512}, num_warps=8, pre_hook=lambda args: hooked.append(args["B"]))]
KEY = ["n", "mode"]


def pruned(configs, named, **kwargs):
    return [config for config in configs if config.kwargs["B"] <= max(256, named["n"])]


def call(tuned, n, mode="sum", dtype="float32"):
    tuned[lambda meta: (triton.cdiv(n, meta["B"]),)](stub_driver.Tensor((n,), dtype), stub_driver.Tensor((n,)), n, mode)
    return tuned.asctune_last


# ---- the decorator ----

good = table("best.json", row(OP, SOURCE, 4096, {"B": 512, "num_warps": 8}, mode="sum"), row(OP, SOURCE, 64, {"B": 128, "num_warps": 2}, mode="sum"))
tuned = asctune.autotune(configs, KEY, prune_configs_by={"early_config_prune": pruned}, reset_to_zero=["y"], table=good)(kernel)
last = call(tuned, 4096)
check(last.found == "exact" and last.config is configs[1], f"the list's own configuration for what was measured: {last}")
call(tuned, 4096)
check(hooked == [512, 512], "its pre_hook runs at each launch")
last = call(tuned, 64)
check(last.found == "exact" and last.config.kwargs == {"B": 128} and last.config.num_warps == 2, f"one beyond the list: {last}")
last = call(tuned, 5000)
check(last.found == "nearest" and last.config is configs[1], f"the nearest: {last}")
last = call(tuned, 300)
check(not last.found and last.config is configs[0] or last.config.kwargs["B"] == 128, f"the nearest that pruning leaves: {last}")
last = call(tuned, 4096, mode="max")
check(not last.found and last.config is configs[0] and "mode sum, not max" in last.why, f"a text of the key has to be the same: {last}")
last = call(tuned, 4096, dtype="float16")
check(not last.found and "x f32, not f16" in last.why, f"and so have types: {last}")
compiled = tuned.warmup(stub_driver.Tensor((4096,)), stub_driver.Tensor((4096,)), 4096, "sum", grid=(8,))
check(compiled.metadata.num_warps == 8 and tuned.asctune_last.found == "exact", f"warmup compiles what will be launched: {tuned.asctune_last}")
around = triton.heuristics({"mode": lambda args: "sum"})(tuned)
around[lambda meta: (8,)](stub_driver.Tensor((4096,)), stub_driver.Tensor((4096,)), 4096)
check(around.asctune_last.found == "exact", "heuristics around it have asctune_last, too")
x, y = stub_driver.Tensor((4096,)), stub_driver.Tensor((4096,))
threads = [threading.Thread(target=lambda: [tuned[8,](x, y, 4096, "sum") for _ in range(50)]) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check(len(hooked) == 2 + 1 + 1 + 200, f"threads: {len(hooked)} calls with a pre_hook")
held, done = threading.Event(), threading.Event()
holder = threading.Thread(target=lambda: asctune.give._lock.acquire() and (held.set(), done.wait(), asctune.give._lock.release()))
holder.start()
held.wait()
child = os.fork()
if not child:
    signal.alarm(60)
    os._exit(call(tuned, 8192).found == "")
done.set(), holder.join()
check(os.waitpid(child, 0)[1] == 0, "a forked child waits for no thread of its parent's")
check(not lines, f"nothing is said: {lines}")

# ---- tables that are not used, said once ----

for name, words, path in [
        ("of another source", "was measured with another source", table("stale.json", row(OP, "0" * 16, 4096, {"B": 512}, mode="sum"))),
        ("of another device", "measured on NVIDIA A100, not on NVIDIA H200", table("other.json", row(OP, SOURCE, 4096, {"B": 512}, "NVIDIA A100", mode="sum"))),
        ("of another kernel", "has no parameter BLOCK", table("wrong.json", row(OP, SOURCE, 4096, {"BLOCK": 512}, mode="sum"))),
        ("that is not there", "No such file", os.path.join(FOLDER, "none.json"))]:
    del lines[:]
    tuned = asctune.autotune(configs, KEY, table=path)(kernel)
    lasts = [call(tuned, n) for n in (4096, 4096, 8192)]
    check(all(not last.found and last.config is configs[0] for last in lasts), f"a table {name} is not used: {lasts[0]}")
    check(len(lines) == 1 and words in lines[0], f"which is said once: {lines}")
del lines[:]
with open(os.path.join(FOLDER, "torn.json"), "w") as file:
    file.write('{"format": "asctune-be')
check(not call(asctune.autotune(configs, KEY, table=file.name)(kernel), 64).found and len(lines) == 1 and "torn.json:1" in lines[0], f"a torn one: {lines}")
del lines[:]
with open(os.path.join(FOLDER, "hand.json"), "w") as file:
    json.dump({"format": "asctune-infiniops-rules", "version": 1, "rules": [{"op": OP, "device": "cuda", "device_name": "*", "dtype": "float32", "match": {"n": 4096},
                                                                             "implementation_index": -1, "config": {"num_warps": 8}}]}, file)
last = call(asctune.autotune(configs, ["n"], table=file.name)(kernel), 64)
check("nothing for these sizes" in last.why and not lines, f"one by hand, which names no source: {last.why}, {lines}")

# ---- a library's ----

library = a_library.copy_kernel
source = _capture.source_digest(library.fn)
given = table("library.json", row("a_library:copy_kernel", source, 4096, {"B": 512, "num_warps": 8}))
a_library.copy(x, y, 4096)
check(len(a_library.measured) == 3 and len(a_library.written) == 1, "without a table a library's tuner measures")
asctune.apply(given, "nobody:*")
a_library.copy(x, y, 4096)
check("no table" in library.asctune_last.why and len(a_library.measured) == 3, "a pattern that does not match: its tuner goes on")
asctune.apply(given, "a_lib*")
a_library.copy(x, y, 4096)
check(library.asctune_last.found == "exact" and library.best_config.kwargs["B"] == 512, f"with one it does not: {library.asctune_last}")
check(len(a_library.measured) == 3 and len(a_library.written) == 1, "measures nothing, writes nothing")
small = stub_driver.Tensor((64,), "float16")
a_library.copy(small, small, 64)
check(len(a_library.measured) == 6 and library.asctune_last.config is None, f"where the table has nothing, it does: {library.asctune_last}")
later = a_library.Tuner(library.fn, library.arg_names, a_library.CONFIGS, ["n"], None, None)
later[8,](x, y, 4096, 0)
check(later.best_config.kwargs["B"] == 512 and len(a_library.measured) == 6, "a tuner that is made later is served as well")

# ---- a library's without an autotuner ----

source = _capture.source_digest(a_library.scale_kernel)


def scale_row(n, d, config):
    return {**row("a_library:scale_kernel", source, d, config, elements=n),
            "export": {"triton": {"operator": "a_library:scale_kernel", "sizes": {"D": "n", "@elements": "all"}, "types": {"x": "f32", "@source": source}}}}


del lines[:]
asctune.apply(table("plain.json", scale_row(4096, 2, {"B": 256, "num_warps": 8}), scale_row(4096, 3, {"num_warps": 2}), scale_row(4096, 5, {"num_warps": 3}),
                    scale_row(4096, 6, {"B": 1024, "num_warps": 8})), "a_lib*")
made = a_library.scale(x, 4096, 2)
check(made.metadata.num_warps == 8 and a_library.scale_kernel.asctune_last.found == "exact", f"a call that a table has: {a_library.scale_kernel.asctune_last}")
check(a_library.scale_by_place(x, 4096, 2).metadata.num_warps == 8, "and one by place")
grids, own = [], stub_driver.Launcher.__call__
stub_driver.Launcher.__call__ = lambda self, x, *rest: (grids.append(x), own(self, x, *rest))[1]
check(a_library.scale(x, 4096, 3).metadata.num_warps == 2 and a_library.scale(x, 4096, 3, num_stages=1).metadata.num_stages == 1, "options that the table does not have are the caller's")
check(a_library.scale(x, 4096, 6).metadata.num_warps == 4 and grids == [16, 16, 16], "other blocks than the caller's are not taken: the grid is worked out by these")
for n, d in ((4096, 4), (2048, 2)):
    check(a_library.scale(stub_driver.Tensor((n,)), n, d).metadata.num_warps == 4 and not a_library.scale_kernel.asctune_last.found, f"{n} x {d}: none is near enough")
check(a_library.scale(stub_driver.Tensor((4096,), "float16"), 4096, 2).metadata.num_warps == 4, "nor one of another type")
del grids[:]
check(a_library.scale(x, 4096, 5).metadata.num_warps == 4 and "fails here" in a_library.scale_kernel.asctune_last.why and grids == [16],
      f"what does not compile is launched once, as it was called: {lines}, {grids}")


def once(meta):
    failures.append(meta["B"])
    raise MemoryError("the caller's own")


failures = []
try:
    a_library.scale_kernel[once](stub_driver.Tensor((4096,)), 4096, 2, B=256, num_warps=2)
    check(False, "a failure of the caller's is passed over")
except MemoryError:
    check(failures == [256], f"a failure of the caller's shows, and is not tried again: {failures}")
try:
    a_library.scale_kernel[(16,)](x, 4096, 2, 256, B=512)
    check(False, "a wrong call is launched")
except TypeError:
    check(not lines, f"a wrong call is refused as ever, and nothing is said: {lines}")
a_library.unknown(x)
check("run" not in vars(a_library.unknown_kernel) and "run" in vars(a_library.scale_kernel), "nothing stands before a kernel that no table has")
check("run" not in vars(library.fn), "nor before one below an autotuner")

# ---- what no table has is recorded, and its workload answers as it was asked ----

os.chdir(FOLDER)
del lines[:]
os.environ["ASCTUNE_TUNE"] = good + "/no_folder"
last = call(asctune.autotune(configs[:1], KEY, table=good)(kernel), 4096, "prod")
check(not last.found and len(lines) == 1 and "nothing is recorded" in lines[0], f"a folder that cannot be made: {lines}")
os.environ["ASCTUNE_TUNE"] = "recorded"
del lines[:]
tuned = asctune.autotune(configs[:1] + [triton.Config({"B": 1024}, num_warps=8)], KEY, table=good)(kernel)
asked = [(4096, "min", "float32"), (64, "min", "float32"), (4096, "min", "bfloat16"), (4096, "max", "float32")]
for n, mode, dtype in asked:
    call(tuned, n, mode, dtype)
_capture.disarm()
check(len(lines) == 1 and "asctune run recorded" in lines[0], f"it is said once: {lines}")
subprocess.run(["asctune", "capture", "-o", "recorded"], check=True, stdout=subprocess.DEVNULL)
rows = []
for path in sorted(glob.glob("recorded/kernel*.json")):
    with open(path) as file:
        workload = json.load(file)
    for problem in workload["problems"]:
        rows.append({**row("", "", 0, {"B": 1024, "num_warps": 8}), "operator": workload["operator"], "export": workload["export"],
                     "problem_values": {"dims": problem["dims"], "dtypes": problem.get("dtypes", {})}})
check(len(rows) == len(asked), f"a problem for each call without an answer: {len(rows)}")
tuned = asctune.autotune(tuned.configs, KEY, table=table("recorded.json", *rows))(kernel)
for given in asked:
    last = call(tuned, *given)
    check(last.found == "exact" and last.config.kwargs["B"] == 1024, f"{given} has its answer: {last}")
print(f"1..{number}")
