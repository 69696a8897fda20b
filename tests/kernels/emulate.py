"""The workloads' CUDA kernels for rows on the CPU, against the workloads' references, within their tolerances: the smoke and odd problems of each operator and
combination of types, in configurations that are drawn from their spaces; and the references that a GPU computes, against those. Prints TAP.

tests/kernels/emulate.py ASCTUNE [N [WORKLOAD...]]: N problems of each combination (default 3). Needs g++ and cc. A kernel becomes C++: its few statements of PTX are replaced, each
thread of a block is a context of its own, and a barrier or a shuffle goes round all of them; that all threads meet there is checked.
"""
import array
import ctypes
import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import types

from workload import ROOT, ceil_div

WORKLOADS = ("add mul cast cat rms_norm add_rms_norm softmax causal_softmax swiglu silu_and_mul geglu rotary_embedding apply_rotary_pos_emb reshape_and_cache").split()
C_TYPES = {"f64": "double", "f32": "float", "f16": "unsigned short", "bf16": "unsigned short", "i64": "long long", "i32": "int"}
CODES = {"f64": "d", "f32": "f", "f16": "H", "bf16": "H", "i64": "q", "i32": "i"}
SCALARS = {"i64": ctypes.c_int64, "i32": ctypes.c_int32, "f32": ctypes.c_float, "f64": ctypes.c_double, "bool": ctypes.c_bool}
DEVICE = types.SimpleNamespace(processors=132, threads=1)
STATEMENTS = {  # of PTX: what each does, of its operands
    "cvt.rn.bf16.f32": "{0} = bf16_make({1});", "cvt.rn.bf16x2.f32": "{0} = bf16_make({2}) | (unsigned)bf16_make({1}) << 16;",
    "cvt.rn.f16.f32": "{0} = f16_make({1});", "cvt.rn.f16x2.f32": "{0} = f16_make({2}) | (unsigned)f16_make({1}) << 16;", "cvt.f32.f16": "{0} = f16_get({1});",
    "max.bf16x2": "{0} = bf16_larger({1}, {2}) | bf16_larger({1} >> 16, {2} >> 16) << 16;",
    "max.f16x2": "{0} = f16_larger({1}, {2}) | f16_larger({1} >> 16, {2} >> 16) << 16;",
    "ex2.approx.f32": "{0} = exp2f({1});", "ex2.approx.ftz.f32": "{0} = exp2f({1});", "div.approx.f32": "{0} = ({1}) / ({2});", "rcp.approx.ftz.f32": "{0} = 1 / ({1});",
    "ld.global.L1::no_allocate.L2::cache_hint.v4.u32": "x = *from;", "st.global.v4.u32": "*to = x;", "st.global.cs.v4.u32": "*to = x;", "st.global.v2.u32": "*to = x;"}
BEFORE = r"""
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ucontext.h>
#include <utility>
#define __device__
#define __global__
#define __shared__ static
#define __launch_bounds__(...)
using std::max;
using std::min;
struct Dim { unsigned x, y; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
static Dim threadIdx, blockIdx, gridDim;
static const Dim blockDim = {THREADS, 1};
static ucontext_t threads[THREADS], caller;
static bool ended[THREADS];
static float told[THREADS];
static unsigned bits(float x) { unsigned y; memcpy(&y, &x, 4); return y; }
static float __uint_as_float(unsigned x) { float y; memcpy(&y, &x, 4); return y; }
static double __longlong_as_double(long long x) { double y; memcpy(&y, &x, 8); return y; }
static float __int_as_float(int x) { return __uint_as_float(x); }
static unsigned short bf16_make(float x) { unsigned y = bits(x); return x == x ? (y + 0x7fff + (y >> 16 & 1)) >> 16 : 0x7fff; }
static unsigned short f16_make(float x) { _Float16 y = x; unsigned short z; memcpy(&z, &y, 2); return z; }
static unsigned bf16_larger(unsigned a, unsigned b) { return bf16_make(fmaxf(__uint_as_float(a << 16), __uint_as_float(b << 16))); }
static float f16_get(unsigned short x) { _Float16 y; memcpy(&y, &x, 2); return y; }
static unsigned f16_larger(unsigned a, unsigned b) { return f16_make(fmaxf(f16_get(a), f16_get(b))); }
static float rsqrtf(float x) { return 1 / std::sqrt(x); }
static void __syncthreads() { unsigned own = threadIdx.x; swapcontext(&threads[own], &caller); threadIdx.x = own; }
static float __shfl_xor_sync(unsigned, float x, int lanes)
{
	unsigned own = threadIdx.x;
	told[own] = x;
	__syncthreads();
	float y = told[own ^ lanes];
	__syncthreads();
	return y;
}
"""
AFTER = r"""
static void **values;
template <class... Given, size_t... At> static void call(void (*kernel)(Given...), std::index_sequence<At...>) { kernel(*(Given *)values[At]...); }
template <class... Given> static void call(void (*kernel)(Given...)) { call(kernel, std::index_sequence_for<Given...>()); }
static void thread() { call(ENTRY); ended[threadIdx.x] = true; swapcontext(&threads[threadIdx.x], &caller); }
extern "C" int emulate(int x, int y, void **given)
{
	enum { STACK = 1 << 16 };
	static char stacks[THREADS][STACK];
	values = given;
	gridDim = {(unsigned)x, (unsigned)y};
	for (int block = 0; block < x * y; block++) {
		blockIdx = {(unsigned)(block % x), (unsigned)(block / x)};
		for (unsigned i = 0; i < THREADS; i++) {
			getcontext(&threads[i]);
			threads[i].uc_stack = {stacks[i], 0, STACK};
			ended[i] = false;
			makecontext(&threads[i], thread, 0);
		}
		for (unsigned left = THREADS; left > 0;) {
			left = 0;
			for (threadIdx.x = 0; threadIdx.x < THREADS; threadIdx.x++) {
				swapcontext(&caller, &threads[threadIdx.x]);
				left += !ended[threadIdx.x];
			}
			if (left > 0 && left < THREADS)
				return 1; /* some threads wait for others that have ended */
		}
	}
	return 0;
}
"""


def bracketed(text, begin):
    """What stands between the bracket at `begin` and its partner, and where that is."""
    depth = 0
    for at in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[begin + 1:at], at


def without_ptx(text):
    """The source with C++ in place of asm statements."""
    out, done = "", 0
    for found in re.finditer(r"\basm(?: volatile)?\s*\(", text):
        inside, end = bracketed(text, found.end() - 1)
        name = "".join(re.findall(r'"([^"]*)"', inside)).split(" ")[0].replace(".v4.u32", ".v4.u32", 1)
        name = "st.global" + name if inside.startswith("STORE") else name
        given = [bracketed(inside, operand.end() - 1)[0] for operand in re.finditer(r'"=?[a-z]"\s*\(', inside)]
        out += text[done:found.start()] + STATEMENTS[name].format(*given).rstrip(";")
        done = end + 1
    return out + text[done:]


def joined(path, seen):
    """A source with the files that it includes."""
    lines = []
    for line in path.read_text().splitlines():
        include = re.match(r'#include "(.*)"', line)
        if not include:
            lines.append(line)
        elif (other := (path.parent / include[1]).resolve()) not in seen:
            seen.add(other)
            lines.append(joined(other, seen))
    return "\n".join(lines)


class Libraries:
    """Functions compiled from texts, each text once."""

    def __init__(self, folder):
        self.folder, self.loaded = pathlib.Path(folder), {}

    def load(self, compiler, suffix, text, *options):
        key = (text, options)
        if key not in self.loaded:
            source = self.folder / f"{len(self.loaded)}{suffix}"
            source.write_text(text)
            subprocess.run([compiler, "-O1", "-w", "-fPIC", "-shared", *options, "-o", source.with_suffix(".so"), source, "-lm"], check=True)
            self.loaded[key] = ctypes.CDLL(str(source.with_suffix(".so")))
        return self.loaded[key]

    def kernel(self, path, entry, macros):
        text = without_ptx(joined(path, set())).replace("enum { THREADS = 256 };", "")
        head = "".join(f"#define {name} {value}\n" for name, value in macros.items())
        return self.load("g++", ".cpp", head + BEFORE + text + AFTER.replace("ENTRY", entry), "-std=c++17", "-fno-strict-aliasing").emulate


# ---- numbers ----


def round_to(dtype, x):
    """What a tensor of the type holds of a number."""
    if dtype == "f16" and abs(x) >= 65520:
        return math.copysign(math.inf, x)
    if dtype == "bf16":
        bits = struct.unpack("I", struct.pack("f", x))[0]
        return struct.unpack("H", struct.pack("H", (bits + 0x7fff + (bits >> 16 & 1)) >> 16))[0] if x == x else 0x7fc0
    return struct.unpack("H", struct.pack("e", x))[0] if dtype == "f16" else x if dtype == "f32" else int(x)


def coded(dtype, x):
    if dtype == "f16" and x == x and abs(x) >= 65520:
        return 0xfc00 if x < 0 else 0x7c00
    return round_to(dtype, x)


def number(dtype, code):
    if dtype == "bf16":
        return struct.unpack("f", struct.pack("I", code << 16))[0]
    return struct.unpack("e", struct.pack("H", code))[0] if dtype == "f16" else code


# ---- a problem ----


class Memory:
    """Tensors of a problem: codes of elements in memories that some share, with gaps that nobody may write."""

    def __init__(self, problem, libraries):
        self.problem, self.shape, self.places, self.arrays, self.dtype = problem, {}, {}, {}, {}
        roots = {}
        for name, stated in problem.tensors.items():
            shape = [problem.evaluate(size) for size in stated["shape"]]
            steps = [problem.evaluate(step) for step in stated["strides"]] if "strides" in stated else [math.prod(shape[i + 1:]) for i in range(len(shape))]
            places = [problem.evaluate(stated.get("offset", 0))]
            for size, step in zip(shape, steps):
                places = [place + i * step for place in places for i in range(size)]
            root = stated["shares"] if "shares" in stated and problem.evaluate(stated.get("shares_if", True)) else name
            self.shape[name], self.places[name], roots[name] = shape, places, root
            self.dtype[name] = problem.dtypes.get(stated["dtype"], stated["dtype"])
        for root in set(roots.values()):
            size = max(max(self.places[name], default=-1) for name in roots if roots[name] == root) + 1
            code = CODES[self.dtype[root]]
            self.arrays[root] = array.array(code, [random.getrandbits(14) if code in "Hqi" else random.random() for _ in range(size)])
        for name, root in roots.items():
            self.arrays[name] = self.arrays[root]
        for seed, (name, stated) in enumerate(problem.tensors.items()):
            if stated["role"] != "out":
                for place, x in zip(self.places[name], self.made(stated, len(self.places[name]), seed, libraries)):
                    self.arrays[name][place] = coded(self.dtype[name], x)

    def made(self, stated, n, seed, libraries):
        fill, value = stated.get("fill", {"kind": "normal"}), lambda key, default: self.problem.evaluate(fill.get(key, default))
        if fill["kind"] == "function":
            numbers = (ctypes.c_double * n)()
            path = self.problem.folder / fill["source"]
            getattr(libraries.load("cc", ".c", path.read_text(), f"-I{path.parent}"), fill["entry"])(numbers, ctypes.c_int64(n), ctypes.c_uint64(seed), *(ctypes.c_int64(self.problem.evaluate(x)) for x in fill.get("values", [])))
            return list(numbers)
        if fill["kind"] == "slots":
            slots = random.sample(range(value("slots", 0)), n)
            return [-1 if random.random() < value("padding", 0) else slot for slot in slots]
        if fill["kind"] == "uniform":
            return [random.uniform(value("low", 0), value("high", 8)) // 1 if stated["dtype"] in ("i64", "i32") else random.uniform(value("low", 0), value("high", 1)) for _ in range(n)]
        return [random.gauss(value("mean", 0), value("std", 1)) for _ in range(n)]

    def numbers(self, name):
        codes, dtype = self.arrays[name], self.dtype[name]
        return [number(dtype, codes[place]) for place in self.places[name]]


class Problem:
    def __init__(self, file, content, stated, implementation, config):
        self.folder, self.content, self.implementation = file.parent, content, implementation
        self.dims, self.dtypes, self.config = stated["dims"], stated["dtypes"], config
        self.tensors = {name: tensor for name, tensor in content["tensors"].items()
                        if "cuda" in tensor.get("devices", ["cuda"]) and self.evaluate(tensor.get("optional", True))}

    def evaluate(self, formula):
        if not isinstance(formula, str):
            return formula
        names = {"device": DEVICE, "ceil_div": ceil_div, "min": min, "max": max, "abs": abs, "true": True, "false": False, **self.dims, **self.dtypes, **self.config}
        return eval(formula, {"__builtins__": {}}, names)

    def doubles(self, memory):
        return {name: (ctypes.c_double * max(1, len(memory.places[name])))(*memory.numbers(name)) for name in self.tensors}

    def outputs(self, memory, doubles):
        return {name: list(doubles[name])[:len(memory.places[name])] for name, tensor in self.tensors.items() if tensor["role"] != "in"}

    def reference(self, memory, libraries):
        """The outputs in double, by name."""
        stated, doubles = self.content["reference"], self.doubles(memory)
        path = self.folder / stated["source"]
        function = getattr(libraries.load("cc", ".c", path.read_text(), f"-I{path.parent}"), stated["entry"])
        for block in range(self.evaluate(stated.get("launch", {}).get("grid", [1])[0])):
            function(*(doubles.get(a["tensor"]) if "tensor" in a else SCALARS[a["type"]](self.evaluate(a["scalar"])) if "scalar" in a else ctypes.c_int64(block)
                       for a in stated["arguments"]))
        return self.outputs(memory, doubles)

    def reference_on(self, memory, libraries):
        """The same as a GPU's reference computes it."""
        stated, doubles = self.content["reference_on"]["cuda"], self.doubles(memory)
        emulate = libraries.kernel(self.folder / stated["source"], stated["entry"], {"THREADS": stated["launch"]["block"][0]})
        values = [ctypes.c_void_p(ctypes.addressof(doubles[a["tensor"]]) if a["tensor"] in doubles else None) if "tensor" in a else SCALARS[a["type"]](self.evaluate(a["scalar"]))
                  for a in stated["arguments"]]
        emulate(min(3, self.evaluate(stated["launch"]["grid"][0])), 1, (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values)))
        return self.outputs(memory, doubles)

    def launch(self, memory, libraries):
        i = self.implementation
        launched = {name for name, stated in i["parameters"].items() if isinstance(stated, dict) and stated.get("stage") == "launch"}
        macros = {f"DTYPE_{dtype}": at for at, dtype in enumerate(C_TYPES)}
        for variable, dtype in self.dtypes.items():
            macros.update({f"DTYPE_{variable}": f"DTYPE_{dtype}", f"CTYPE_{variable}": C_TYPES[dtype]})
        macros.update({name: int(value) for name, value in self.config.items() if name not in launched})
        macros.update({name: int(self.evaluate(value)) for name, value in i.get("constants", {}).items()})
        emulate = libraries.kernel(self.folder / i["source"], i["entry"], macros)
        values = [ctypes.c_void_p(memory.arrays[a["tensor"]].buffer_info()[0] + memory.arrays[a["tensor"]].itemsize * self.evaluate(self.tensors[a["tensor"]].get("offset", 0))
                                  if a["tensor"] in self.tensors else None) if "tensor" in a else SCALARS[a["type"]](self.evaluate(a["scalar"])) for a in i["arguments"]]
        grid = [self.evaluate(side) for side in i["launch"]["grid"]] + [1]
        return emulate(grid[0], grid[1], (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values)))

    def wrong(self, memory, wanted):
        """What is wrong with the outputs; nothing."""
        for name, want in wanted.items():
            verify = self.tensors[name]["verify"]
            tolerance = verify["tolerance"][memory.dtype[name]] if verify["kind"] == "allclose" else {"atol": 0, "rtol": 0}
            atol, rtol = self.evaluate(tolerance["atol"]), self.evaluate(tolerance["rtol"])
            for at, (have, x) in enumerate(zip(memory.numbers(name), want)):
                if verify["kind"] == "exact":
                    x = number(memory.dtype[name], coded(memory.dtype[name], x))
                if not (have == x or have != have and x != x or abs(have - x) <= atol + rtol * abs(x)):
                    return f"{name}[{at}] is {have!r}, not {x!r}"
        return None


def cases(asctune, name, count):
    """Problems of a workload, each with a configuration."""
    file = ROOT / "workloads" / f"{name}.json"
    content = json.loads(file.read_text())
    implementation = next(i for i in content["implementations"] if i.get("builder") == "nvrtc")
    by_types = {}
    for stated in content["problems"]:
        if {"smoke", "odd"} & set(stated.get("tags", [])) and "cuda" in stated.get("devices", ["cuda"]):
            by_types.setdefault(tuple(stated["dtypes"].items()), []).append(stated)
    for problems in by_types.values():
        for stated in random.sample(problems, min(count, len(problems))):
            command = [asctune, "space", file, "--device", "sm_90", "--problem", stated["name"], "--impl", implementation["name"], "--list"]
            lines = [line for line in subprocess.run(command, capture_output=True, text=True).stdout.split("\n") if line]
            if lines:
                config = dict(zip(implementation["parameters"], map(json.loads, random.choice(lines).split(","))))
                yield stated["name"], Problem(file, content, stated, implementation, config)
            else:
                yield stated["name"], None


def main():
    if not shutil.which("g++"):
        print("1..0 # SKIP there is no g++")
        return 0
    n, failed = 0, 0
    random.seed(34)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory(prefix="asctune-emulate.") as folder:
        libraries = Libraries(folder)
        for name in sys.argv[3:] or WORKLOADS:
            for title, problem in cases(sys.argv[1], name, count):
                n += 1
                wrong = "no configuration" if problem is None else None
                if problem:
                    memory = Memory(problem, libraries)
                    kept = {tensor: (codes[:], {place for other in problem.tensors if memory.arrays[other] is codes and problem.tensors[other]["role"] != "in"
                                                for place in memory.places[other]}) for tensor, codes in memory.arrays.items()}
                    wanted = problem.reference(memory, libraries)
                    for tensor, numbers in problem.reference_on(memory, libraries).items():
                        if not all(a == b or a != a and b != b or abs(a - b) <= 1e-12 * abs(b) for a, b in zip(numbers, wanted[tensor])):
                            wrong = f"{tensor} of the GPU's reference"
                    wrong = wrong or "some threads wait at a barrier" if problem.launch(memory, libraries) else problem.wrong(memory, wanted)
                    for tensor, (before, written) in kept.items():
                        if any(a.to_bytes(8, "little", signed=True) != b.to_bytes(8, "little", signed=True) if isinstance(a, int) else a != b
                               for at, (a, b) in enumerate(zip(before, memory.arrays[tensor])) if at not in written and a == a):
                            wrong = wrong or f"{tensor} is written beside its elements"
                failed += wrong is not None
                print(f"{'not ok' if wrong else 'ok'} {n} - {name} {title} {problem.config if problem else ''}{': ' + wrong if wrong else ''}", flush=True)
    print(f"1..{n}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
