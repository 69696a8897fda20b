"""Workloads that `asctune init --from` makes of a package's kernels, with their launches, in Triton's interpreter, against float64. Prints TAP.

tests/kernels/layers.py ASCTUNE PACKAGES/ READER...; packages are called LIBRARY-0.1. Needs triton and numpy; without them it is skipped. Routing is that of the workload's own C file.
"""
import ctypes
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import types

os.environ["TRITON_INTERPRET"] = "1"
sys.dont_write_bytecode = True
try:
    import numpy as np
    import triton.language as tl
    from triton.runtime.interpreter import GridExecutor
except ImportError as e:
    print(f"1..0 # SKIP {e}")
    sys.exit(0)

GridExecutor._init_args_hst = lambda self, args, kwargs: (list(args), dict(kwargs))
GridExecutor._restore_args_dev = lambda *args: None
TYPES = {"f8e4m3": (np.uint8, tl.float8e4nv), "bf16": (np.uint16, tl.bfloat16), "f16": (np.float16, tl.float16), "f32": (np.float32, tl.float32), "i32": (np.int32, tl.int32)}
SIZES = {
    "moe": ["M=1,2,40,E=16,N=48,K=80,top_k=2,dtype=f16", "M=1,40,E=16,N=48,K=80,top_k=2,dtype=fp8_w8a8",
            "M=1,40,E=16,N=128,K=192,top_k=2,dtype=fp8_w8a8,block_n=32,block_k=64"],
    "block-fp8": ["M=1,40,N=80,K=160,block_n=64,block_k=64,dtype=f16"],
}
CONFIGS = [{"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, "GROUP_SIZE_M": g} for m, n, k, g in ((16, 32, 64, 1), (32, 64, 32, 8))]


class Tensor:
    """An array as a kernel takes it."""

    def __init__(self, array, dtype):
        self.array, self.dtype, self.shape = array, dtype, array.shape

    def data_ptr(self):
        return self.array.ctypes.data


def decode(codes):
    """Numbers of f8e4m3 (OCP, OFP8), and of bf16, which is the upper half of an f32."""
    if codes.dtype == np.uint16:
        return (codes.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if codes.dtype != np.uint8:
        return codes.astype(np.float64)
    exponent, part = (codes >> 3 & 15).astype(int), codes & 7
    return np.where(codes & 128, -1, 1) * np.where(exponent == 0, part / 8 * 2.0**-6, (1 + part / 8) * 2.0 ** (exponent - 7))


class Layer:
    """One problem of a workload, with one configuration."""

    def __init__(self, folder, content, problem, config):
        self.folder, self.content, self.types = folder, content, problem["dtypes"]
        self.names = {**problem["dims"], **problem["dtypes"], **config, "min": min, "max": max, "int": int, "log2": math.log2, "ceil_div": lambda a, b: -(-a // b),
                      "align": lambda a, b: -(-a // b) * b, "device": types.SimpleNamespace(compute_capability=90)}
        self.config = config

    def evaluate(self, formula):
        return eval(formula, {"__builtins__": {}}, self.names) if isinstance(formula, str) else formula

    def make(self, stated, rng):
        """A tensor's array, None for one that is absent."""
        shape = [self.evaluate(size) for size in stated["shape"]]
        of_numpy, of_triton = TYPES[self.types.get(stated["dtype"], stated["dtype"])]
        fill = stated.get("fill", {"kind": "normal"})
        if not self.evaluate(stated.get("optional", True)):
            return None
        if stated.get("role") != "in":  # NaN, or a number that no id is
            return Tensor(np.full(shape, {np.int32: 1 << 30, np.uint16: 0x7FC0}.get(of_numpy, np.nan), of_numpy), of_triton)
        if of_numpy == np.uint8:  # codes of numbers from -240 to 240
            numbers = rng.integers(0, 120, shape) + 128 * rng.integers(0, 2, shape)
        elif fill["kind"] == "function":
            numbers = np.zeros(math.prod(shape))
            getattr(self.library(fill["source"]), fill["entry"])(numbers.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(numbers.size), ctypes.c_uint64(5))
        elif fill["kind"] == "constant":
            numbers = np.full(shape, self.evaluate(fill["value"]))
        elif fill["kind"] == "uniform":
            numbers = rng.uniform(self.evaluate(fill["low"]), self.evaluate(fill["high"]), shape)
        else:
            numbers = rng.standard_normal(shape) * self.evaluate(fill.get("std", 1))
        return Tensor(numbers.reshape(shape).astype(of_numpy), of_triton)

    def library(self, source):
        compiled = self.folder / f"{source}.so"
        if not compiled.exists():
            subprocess.run(["cc", "-fPIC", "-shared", "-o", compiled, self.folder / source], check=True)
        return ctypes.CDLL(str(compiled))

    def kernel(self, call):
        spec = importlib.util.spec_from_file_location(call["source"].replace(".", "_"), self.folder / call["source"])
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return getattr(module, call["entry"])

    def launch(self, call, tensors):
        arguments = [tensors[a["tensor"]] if "tensor" in a else self.evaluate(a["scalar"]) for a in call["arguments"]]
        constants = {name: TYPES[self.types[c["dtype"]]][1] if isinstance(c, dict) else self.evaluate(c) for name, c in call.get("constants", {}).items()}
        values = {name: value for name, value in self.config.items() if name in call.get("parameters", self.config)}
        for name in ("launch_pdl", "USE_GDC"):  # here a launch ends before the next one begins
            constants.pop(name, None)
        self.kernel(call)[(self.evaluate(call["launch"]["grid"][0]),)](*arguments, **values, **constants)


def experts_of(dims, alignments):
    """Expert of each pair of a token and a place, as the row of the smallest block has it."""
    pairs, room = dims["M"] * dims["top_k"], (dims["E"] + 1) * 256
    ids, blocks = alignments[0][:pairs + room], alignments[0][pairs + room:]
    experts = np.full(pairs, -1)
    for at, pair in enumerate(ids[:blocks[-1]]):
        if pair < pairs:
            experts[pair] = blocks[at // 16]
    return experts


def calls_of(implementation):
    return implementation.get("calls", [implementation])


def scaled(numbers, scales, block_n, block_k):
    """Numbers with their scales: one, one for each expert, or one for each block."""
    if scales is None or scales.ndim == 1:
        return numbers * (1 if scales is None else scales.reshape(-1, *[1] * (numbers.ndim - 1)) if numbers.ndim == 3 else scales)
    rows = scales if scales.ndim == 2 else np.repeat(scales, block_n, 1)[:, :numbers.shape[1]]
    return numbers * np.repeat(rows, block_k, -1)[..., :numbers.shape[-1]]


def layer_of_experts(dims, implementation, tensors, real):
    """Both products of each pair of a token and an expert."""
    aligned = any(a.get("tensor") == "alignments" for call in calls_of(implementation) for a in call["arguments"])
    experts = experts_of(dims, tensors["alignments"].array) if aligned else tensors["topk_ids"].array.ravel()
    blocks = dims.get("block_n", 1), dims.get("block_k", 1)
    x, w1, gated, w2 = (scaled(real[name], real.get(f"{name}_scale"), *blocks) for name in ("x", "w1", "gated", "w2"))
    up = np.einsum("pk,pnk->pn", x[np.arange(len(experts)) // dims["top_k"]], w1[experts])
    down = np.einsum("pn,pkn->pk", gated, w2[experts]) * real["topk_weights"].reshape(-1, 1)
    return {"up": up, "down": down}


def scaled_product(dims, _, __, real):
    n = dims["N"]
    a = scaled(real["a"], real["a_scales"], 1, dims["block_k"])
    b = scaled(real["b"], np.repeat(real["b_scales"], dims["block_n"], 0)[:n], 1, dims["block_k"])
    return {"c": a @ b.T}


REFERENCES = {"moe": layer_of_experts, "block-fp8": scaled_product}


def worst(folder, content, implementation, problem, config, rng):
    """The largest error of any result, as a part of what is allowed."""
    layer = Layer(folder, content, problem, config)
    tensors = {name: layer.make(stated, rng) for name, stated in {**content["tensors"], **implementation.get("scratch", {})}.items()}
    for call in calls_of(implementation):
        layer.launch(call, tensors)
    real = {name: decode(t.array) for name, t in tensors.items() if t}
    parts = []
    for name, want in REFERENCES[content["operator"]](problem["dims"], implementation, tensors, real).items():
        tolerance = {part: layer.evaluate(value) for part, value in content["tensors"][name]["verify"]["tolerance"][problem["dtypes"]["T"]].items()}
        parts.append((np.abs(real[name].reshape(want.shape) - want) / (tolerance["atol"] + tolerance["rtol"] * np.abs(want))).max())
    return max(parts)


def main():
    asctune, packages, *readers = sys.argv[1:]
    rng, n, failed = np.random.default_rng(1), 0, 0
    with tempfile.TemporaryDirectory() as made:
        asked = [(reader, sizes) for reader in readers for sizes in SIZES[reader.split(":")[1]]]
        for number, (reader, sizes) in enumerate(asked):
            folder = pathlib.Path(made, str(number))
            folder.mkdir()
            os.chdir(folder)
            subprocess.run([asctune, "init", "layer", "--from", reader, "--set", sizes, "--package", packages + reader.split(":")[0] + "-0.1"],
                           check=True, stdout=subprocess.DEVNULL)
            folder = folder / "layer"
            content = json.loads((folder / "layer.json").read_text())
            kind = sizes.partition("dtype=")[2]
            for problem in content["problems"]:
                for implementation in content["implementations"]:
                    layer = Layer(folder, content, problem, {})
                    if not layer.evaluate(implementation.get("when", True)):
                        continue
                    for config in CONFIGS:
                        part = worst(folder, content, implementation, problem, config, rng)
                        n += 1
                        failed += not part <= 1
                        print(f"{'ok' if part <= 1 else 'not ok'} {n} - {reader} {kind} {implementation['name']} {problem['name']} {config}: {part:.3f} of the tolerance", flush=True)
    print(f"1..{n}")
    return failed > 0


sys.exit(main())
