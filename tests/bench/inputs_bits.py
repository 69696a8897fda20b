"""Bits of outputs: the classes that asctune gives beside those of the same launches made from here, whose outputs are compared byte by byte on the host.

The kernels are what `asctune build -o` writes; C functions are called, cubins are launched through libcuda. The inputs are those of asctune's first set: a
kernel of this file's writes them down where `asctune run` has made them."""
import ctypes
import itertools
import json
import math
import mmap
import os
import subprocess

import tuning
from inputs_judge import languages

CONFIGURATIONS = 50  # of each case
AT_ONCE = 25         # configurations in one run, each an implementation of its own: as many as are compared whatever time they take
TUNED = 12  # configurations that such a tuning may choose from
CASES = {"cpu": [("gemm", "packed", "odd"), ("sdpa", "blocked", "odd-causal")],
         "cuda": [("gemm", "tensor", "odd-f16"), ("sdpa", "flash", "bert-384-f16")]}
BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4}
SCALARS = {"i64": ctypes.c_int64, "i32": ctypes.c_int32, "f32": ctypes.c_float, "f64": ctypes.c_double, "bool": ctypes.c_bool}
WRITER = """#include <stdio.h>
void write_input(const void *x, long n, void *out)
{
	FILE *f = fopen("%s", "wb");

	(void)out;
	fwrite(x, 1, n, f);
	fclose(f);
}
"""


def asctune(options, folder, *command):
    """Lines of JSON that a command prints."""
    ran = subprocess.run([options.asctune, *map(str, command)], env=dict(os.environ, ASCTUNE_CACHE_DIR=str(folder / "cache")), capture_output=True, text=True)
    lines = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    return lines if lines else tuning.give_up(f"{' '.join(map(str, command))}: {ran.stderr.strip()[-500:]}")


class Case:
    """Configurations of one implementation on one problem, and the inputs of its first set."""

    def __init__(self, options, folder, kind, workload, implementation, problem):
        self.options, self.folder, self.kind, self.problem = options, folder, kind, problem
        self.path = tuning.WORKLOADS / f"{workload}.json"
        self.name = f"{workload}/{problem}"
        self.workload = json.loads(self.path.read_text())
        self.implementation = next(i for i in self.workload["implementations"] if i["name"] == implementation)
        self.parameters = self.implementation["parameters"]
        self.place = folder / f"{kind}-{workload}"
        self.place.mkdir()
        for sources in filter(lambda entry: entry.is_dir(), tuning.WORKLOADS.iterdir()):
            (self.place / sources.name).symlink_to(sources)
        (self.place / "bits").mkdir()
        self.inputs = self.make_inputs()
        self.default = {name: p["default"] for name, p in self.parameters.items()}

    def write(self, name, implementations):
        path = self.place / name
        workload = dict(self.workload, implementations=implementations)
        workload.pop("baseline", None)
        path.write_text(json.dumps(workload))
        return path

    def draw(self, n):
        """The default and others."""
        said = subprocess.run([self.options.asctune, "space", self.path, "--device", self.kind, "--problem", self.problem, "--impl", self.implementation["name"],
                               "--sample", str(2 * n)], capture_output=True, text=True, check=True).stdout
        found = [self.default]
        for line in said.splitlines():
            config = dict(zip(self.parameters, (json.loads(value) for value in line.split(","))))
            if config not in found:
                found.append(config)
        return found[:n]

    def make_inputs(self):
        """Bytes of each input of the first set, which are the same on every device."""
        found = {}
        written = [{"tensor": name} for name, tensor in self.workload["tensors"].items() if tensor["role"] == "out"]  # a kernel takes these, or is refused
        for name, tensor in self.workload["tensors"].items():
            if tensor["role"] != "in":
                continue
            target = self.place / f"{name}.bin"
            (self.place / f"bits/{name}.c").write_text(WRITER % target)
            path = self.write("inputs.json", [{"name": "inputs", "devices": ["cpu"], "builder": "cc", "source": f"bits/{name}.c", "entry": "write_input",
                                               "arguments": [{"tensor": name}, {"scalar": f"sizeof({name})", "type": "i64"}, *written]}])
            asctune(self.options, self.folder, "run", path, "--trust", "--device", "cpu", "--problem", self.problem, "--db", self.place / "inputs.db", "--json")
            found[name] = target.read_bytes()
        return found

    def digests(self, configs, number):
        """asctune's digest of each configuration, from finals in which it takes part as the default of an implementation of its own."""
        found = []
        for first in range(0, len(configs), AT_ONCE):
            some = configs[first:first + AT_ONCE]
            narrowed = [dict(self.implementation, name=f"c{i}",
                             parameters={name: dict(p, values=[config[name]], default=config[name]) for name, p in self.parameters.items()})
                        for i, config in enumerate(some)]
            database = self.place / f"said-{number}-{first}.db"
            path = self.write(f"said-{first}.json", narrowed)
            asctune(self.options, self.folder, "run", path, "--device", self.kind, "--problem", self.problem, "--budget", "all", "--no-history", "--races", "0",
                    "--db", database, "--json")
            finals = asctune(self.options, self.folder, "show", "run", "1", "--db", database, "--json")[0]["finals"]
            digests = {f["implementation"]: f.get("bits") for f in finals}
            found += [digests.get(f"c{i}") for i in range(len(some))]
        return found

    def outputs(self, config):
        """Bytes that one launch of a configuration leaves, in a launch that asctune has no part in."""
        out = self.place / f"built-{tuning.key_of(config).replace(',', '-')}"
        command = [self.options.asctune, "build", self.path, "--device", self.kind, "--problem", self.problem, "--impl", self.implementation["name"],
                   "--config", tuning.key_of(config), "-o", out]
        subprocess.run(list(map(str, command)), env=dict(os.environ, ASCTUNE_CACHE_DIR=str(self.folder / "cache")), capture_output=True, check=True)
        kernel, = json.loads(next(out.glob("*.json")).read_text())["kernels"]
        launch = (Host if self.kind == "cpu" else Gpu)(kernel, self.inputs)
        launch.run(out / kernel["file"])
        return [launch.read(name) for name, tensor in self.workload["tensors"].items() if tensor["role"] == "out"]


class Launch:
    """One launch of a kernel on memory of its own. Both kinds of device take an array of addresses, of the values of the arguments."""

    def __init__(self, kernel, inputs):
        self.kernel, self.slots, self.tensors, self.kept = kernel, [], {}, []
        for argument in kernel["arguments"]:
            if "builtin" in argument:
                self.slots.append(ctypes.c_int64())
            elif "scalar" in argument:
                self.slots.append(SCALARS[argument["type"]](argument["scalar"]))
            else:
                name, n = argument.get("tensor"), argument.get("scratch") or math.prod(argument["shape"]) * BYTES[argument["type"]]
                self.slots.append(ctypes.c_uint64(self.memory(inputs.get(name, b"\xff" * n))))
                self.tensors[name] = self.slots[-1].value, n
        self.array = (ctypes.c_void_p * len(self.slots))(*map(ctypes.addressof, self.slots))


class Host(Launch):
    """Calls the function for each block of the grid, one after the other."""

    def memory(self, contents):
        m = mmap.mmap(-1, len(contents))  # in whole pages: aligned for every vector
        m.write(contents)
        self.kept.append(m)
        return ctypes.addressof(ctypes.c_char.from_buffer(m))

    def run(self, path):
        function = ctypes.CDLL(str(path)).asctune_launch
        for place in itertools.product(*map(range, self.kernel["grid"])):
            values = dict(zip(("block_x", "block_y", "block_z"), place), threads=1, blocks=math.prod(self.kernel["grid"]))
            for slot, argument in zip(self.slots, self.kernel["arguments"]):
                if "builtin" in argument:
                    slot.value = values.get(argument["builtin"], 0)
            function(self.array)

    def read(self, name):
        return ctypes.string_at(*self.tensors[name])


class Gpu(Launch):
    """Launches a cubin through libcuda. What it allocates is given back by the end of the program."""

    MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    cuda = None

    @classmethod
    def call(cls, name, *arguments):
        if not cls.cuda:
            cls.cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
            cls.call("cuInit", 0)
            cls.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
            cls.call("cuCtxSetCurrent", context)
        code = getattr(cls.cuda, name)(*arguments)
        if code:
            tuning.give_up(f"{name} fails with {code}")

    def memory(self, contents):
        at = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(len(contents)))
        self.call("cuMemcpyHtoD_v2", at, contents, ctypes.c_size_t(len(contents)))
        return at.value

    def run(self, path):
        module, function, shared = ctypes.c_void_p(), ctypes.c_void_p(), self.kernel["dynamic_shared_bytes"]
        self.call("cuModuleLoadData", ctypes.byref(module), path.read_bytes())
        self.call("cuModuleGetFunction", ctypes.byref(function), module, self.kernel["entry"].encode())
        self.call("cuFuncSetAttribute", function, self.MAX_DYNAMIC_SHARED, shared)
        self.call("cuLaunchKernel", function, *self.kernel["grid"], *self.kernel["block"], shared, None, self.array, None)
        self.call("cuCtxSynchronize")

    def read(self, name):
        at, n = self.tensors[name]
        found = ctypes.create_string_buffer(n)
        self.call("cuMemcpyDtoH_v2", found, ctypes.c_uint64(at), ctypes.c_size_t(n))
        return found.raw


def classes_of(values):
    """The number of the first equal value, for each."""
    return [values.index(value) for value in values]


def tune(case, configs, seed):
    """The answer of `run --bits default` to a choice among some configurations."""
    narrowed = tuning.narrow(case.path, case.place / f"tuned-{seed}", {case.implementation["name"]: tuning.any_of(configs)})
    t = tuning.Tuning(case.options.asctune, narrowed, case.problem, case.folder / "cache", "--device", case.kind, "--budget", "all", "--bits", "default", "--seed", seed)
    return t.best["config"]


def bits(options, limits):
    kinds = sorted({{"c": "cpu"}.get(language, "cuda") for language in languages(options)})
    if not kinds:
        tuning.give_up("no device of --device is usable here")
    with tuning.workplace() as folder:
        for kind in kinds:
            known = apart = changed = equal = tunings = 0
            for number, names in enumerate(CASES[kind]):
                case = Case(options, folder, kind, *names)
                configs = case.draw(options.configurations)
                host = classes_of([case.outputs(config) for config in configs])
                first, second = (case.digests(configs, run) for run in range(2))
                said = classes_of(first)
                known += sum(digest is not None for digest in first)
                apart += sum((said[i] == said[k]) != (host[i] == host[k]) for i, k in itertools.combinations(range(len(configs)), 2))
                changed += sum(a != b for a, b in zip(first, second))
                print(f"{kind:5} {case.name}: {len(configs)} configurations, {len(set(host))} classes on the host, {len(set(said))} said", flush=True)
                for seed in range(number, options.bits_tunings, len(CASES[kind])):
                    # Among all, and by turns among those that have other bits than the default: it is the answer itself.
                    others = [config for config, one in zip(configs, host) if one != host[0]]
                    best = tune(case, [case.default, *(others if seed // len(CASES[kind]) % 2 else configs[1:])][:TUNED], seed + 1)
                    same = case.outputs(best) == case.outputs(case.default)
                    tunings, equal = tunings + 1, equal + same
                    print(f"{kind:5} {case.name}: --bits default: {'the same' if same else 'OTHER'} bits: {tuning.key_of(best)}", flush=True)
            limits.least(f"bits: {kind}: configurations whose bits are said", known, len(CASES[kind]) * options.configurations)
            limits.most(f"bits: {kind}: pairs that are equal on the host alone, or as said alone", apart, 0)
            limits.most(f"bits: {kind}: configurations with other bits in a second run", changed, 0)
            limits.least(f"bits: {kind}: tunings with --bits default that give its bits, of {tunings}", equal, tunings)


PARTS = {"bits": bits}
