"""Tunes a function in C, or a kernel in CUDA, in a Python without any package: arrays are this file's own. FILE, which is written"""
import array
import os
import sys

import asctune

C = """#include <stdint.h>
void add(const float *x, const float *y, float *out, int64_t n, double by, int64_t block)
{
	for (int64_t i = block * BLOCK; i < n && i < (block + 1) * BLOCK; i++)
		out[i] = x[i] + y[i] * (float)by + (BLOCK == 64);
}
"""
CUDA = """extern "C" __global__ void add(const float *x, const float *y, float *out, long long n, double by)
{
	for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < n && i < (blockIdx.x + 1LL) * BLOCK; i += THREADS)
		out[i] = x[i] + y[i] * (float)by + (BLOCK == 64);
}
"""


class Array:
    """What numpy's arrays have that is asked of an argument."""

    def __init__(self, values, code="f"):
        self.values = array.array(code, values)
        self.shape, self.dtype = (len(self.values),), {"f": "float32", "d": "float64"}[code]

    def astype(self, name):
        return Array(self.values, "d")

    def tobytes(self):
        return self.values.tobytes()


class Number:
    """A number of numpy."""

    shape, dtype = (), "int64"

    def __init__(self, value):
        self.item = lambda: value


source = sys.argv[1]
device, name = ("cuda", "add.cu:add") if source.endswith(".cu") else ("cpu", "add.c:add")
with open(source, "w") as file:
    file.write(C if device == "cpu" else CUDA)
x, y = Array(range(1000)), Array(range(0, 2000, 2))
tuned = asctune.tune(source + ":add", x, y, Array([0] * 1000), 1000, 0.5, grid="ceil_div(n, BLOCK)", space={"BLOCK": [64, 256, 512]}, budget="all",
                     **({"THREADS": 32} if device == "cuda" else {}), reference=lambda x, y, out, n, by: Array([a + b * by for a, b in zip(x.values, y.values)], "d"))


def check(passed, name):
    print("ok" if passed else "not ok", "-", name)


def refused(what, *arguments, **more):
    try:
        asctune.tune(what, *arguments, grid="1", space={"BLOCK": [64]}, **more)
    except (ValueError, RuntimeError) as e:
        return str(e)
    return "it is not refused"


check(tuned.best["BLOCK"] in (256, 512), f"what is wrong with BLOCK=64 is not the best: {tuned.best}")
check(len(tuned.rows) == 1 and tuned.rows[0]["ok_trials"] == 2, f"two of three are right: {tuned.rows[0]['ok_trials']}")
check(tuned.rows[0]["operator"] == name and tuned.rows[0]["problem_values"]["dims"]["n"] == 1000, "its row names function and sizes")
check(tuned.sure and os.path.exists(tuned.page) and "<iframe" in tuned._repr_html_(), "how sure, and a page for a notebook")
check(refused(source + ":sub", x) == f"{source} has no function sub", "a function that is not there is named")
check(refused(source + ":add", *[x] * 7).endswith(f"add takes {6 if device == 'cpu' else 5} arguments, not 7"), "and one with other arguments")
check(refused(source + ":add", 1, x, x, 1, 1).endswith("x is a float *, and 1 is no array"), "and a number for an array")
given = source + ":add", x, y, x, 1000, 0.5
check(refused(*given, reference=lambda *_: None) == "the reference returns NoneType as out, expected an array for each of out", "a reference that returns nothing")
check(refused(*given, reference=lambda *_: {"sum": x}) == "the reference returns Array as sum, expected an array for each of out", "or what is no output")
check(refused(*given, reference=lambda *_: (x, y)) == "the reference returns 2 outputs, and add has out: return them by name, as a dictionary", "or too much")
check("1 wrong" in refused(*given, reference=lambda *_: x, **({"THREADS": 32} if device == "cuda" else {})), "that nothing is right is said")
named = os.path.splitext(source)[0] + "_tuned"
alone = asctune.tune(source + ":add", x, y, Array([0] * 1000), Number(1000), Number(0.5), grid="ceil_div(n, BLOCK)", space={"BLOCK": [256, 512, 64]}, budget="all", folder=named,
                     **({"THREADS": 32} if device == "cuda" else {}))
check(alone.rows[0]["ok_trials"] == 2 and "own" in alone.rows[0]["verified_by"], f"without a reference the first is right: {alone.rows[0]['verified_by']}")
sys.stdout.flush()
child = os.fork()
if not child:
    sys.exit(0)
check(os.waitpid(child, 0)[1] == 0 and os.path.exists(tuned.page), "a forked child that ends leaves the folder alone")
check(os.path.basename(os.path.dirname(tuned.page)).startswith(f"asctune-tune-{os.getpid()}-"), f"which is named by its process: {tuned.page}")
answer = asctune.Table(tuned.table).ask(op=name, device=device, device_model=tuned.rows[0]["device_model"], active=[-1], types="f32",
                                        sizes={"n": 1000, "x_0": 1000, "y_0": 1000, "out_0": 1000})
check(os.path.dirname(alone.table) == os.path.abspath(named), f"a folder that is named: {alone.table}")
try:
    asctune.tune(source + ":add", x, folder=named)
except FileExistsError as e:
    check(str(e) == f"{named} is not empty: name another folder, or remove this one", f"which has to be empty: {e}")
check(answer.found == asctune.EXACT and answer.config == tuned.best, f"the table answers: {answer}")
