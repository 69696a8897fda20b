"""The workloads' Triton kernels in Triton's interpreter, against float64, within the workloads' tolerances, and each kernel's twin in C for the stand-in
of an NPU against what the interpreter gives: sizes and types with a configuration each, with --all each of them. Prints TAP.

Needs triton (3.4.0 and 3.9.0 are what it was written with) and numpy; without them it is skipped. The interpreter copies a framework's
tensors to the host and back: the arrays here are there already, so these two steps are left out.
"""
import ctypes
import functools
import itertools
import os
import subprocess
import sys
import tempfile
import warnings

os.environ["TRITON_INTERPRET"] = "1"
sys.dont_write_bytecode = True
warnings.simplefilter("ignore", RuntimeWarning)  # of elements behind the ends of tensors, which are not stored
try:
    import numpy as np
    import triton.language as tl
    from triton.runtime.interpreter import GridExecutor
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError as e:
    print(f"1..0 # SKIP {e}")
    sys.exit(0)
from workload import Problem, Workload, built_values

GridExecutor._init_args_hst = lambda self, args, kwargs: (list(args), dict(kwargs))
GridExecutor._restore_args_dev = lambda *args: None
DTYPES = {"f32": (np.float32, tl.float32), "f16": (np.float16, tl.float16), "i64": (np.int64, tl.int64), "i32": (np.int32, tl.int32)}


class Tensor:
    """An array as a kernel takes it."""

    def __init__(self, array, dtype):
        self.array, self.dtype, self.shape = array, dtype, array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def stride(self):
        return [bytes_ // self.array.itemsize for bytes_ in self.array.strides]


def silu(z):
    return z / (1 + np.exp(-z))


def gelu(x):
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2


def softmax(x):
    weights = np.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def attention(dims, q, k, v):
    scores = q @ np.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5
    if dims["causal"]:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    return softmax(scores) @ v


def normalise(x, weight):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * weight


def causal_softmax(dims, x):
    seen = np.tril(np.ones((dims["Q"], dims["K"]), bool), dims["K"] - dims["Q"])
    return softmax(np.where(seen, x, -np.inf))


def rotate(x, cosines, sines, neighbours=False):
    """Heads [.., heads, D], whose first 2 R elements are rotated by angles [.., R], or by those of all elements, [.., D]."""
    pairs = cosines.shape[-1] if neighbours or 2 * cosines.shape[-1] <= x.shape[-1] else cosines.shape[-1] // 2
    out, first = x.copy(), np.arange(pairs)
    left, right = (2 * first, 2 * first + 1) if neighbours else (first, first + pairs)
    of_left, of_right = (first, first) if cosines.shape[-1] == pairs else (first, first + pairs)
    cosines, sines = cosines[:, None], sines[:, None]
    out[..., left] = x[..., left] * cosines[..., of_left] - x[..., right] * sines[..., of_left]
    out[..., right] = x[..., right] * cosines[..., of_right] + x[..., left] * sines[..., of_right]
    return out


def rotary_embedding(dims, positions, query, key, table):
    cosines, sines = np.split(table[positions.astype(int)], 2, -1)
    return {"query_out": rotate(query, cosines, sines, not dims["neox"]), "key_out": rotate(key, cosines, sines, not dims["neox"])}


def reshape_and_cache(dims, key, value, slots, cache):
    cache, there = cache.copy(), slots >= 0
    flat = cache.reshape(2, -1, *key.shape[1:])
    flat[0, slots[there].astype(int)], flat[1, slots[there].astype(int)] = key[there], value[there]
    return cache


REFERENCES = {
    "add": lambda dims, x, y: x + dims["ALPHA"] * y,
    "mul": lambda dims, x, y: x * y,
    "cast": lambda dims, x: x,
    "cat": lambda dims, *tensors: np.concatenate(tensors, -1),
    "swiglu": lambda dims, x, gate: x * silu(gate),
    "silu_and_mul": lambda dims, x: silu(x[:, : dims["N"]]) * x[:, dims["N"] :],
    "add_rms_norm": lambda dims, x1, x2, weight: {"x_out": x1 + x2, "y_out": normalise(x1 + x2, weight)},
    "causal_softmax": causal_softmax,
    "rotary_embedding": rotary_embedding,
    "apply_rotary_pos_emb": lambda dims, query, key, cos, sin: {"query_out": rotate(query, cos, sin), "key_out": rotate(key, cos, sin)},
    "reshape_and_cache": reshape_and_cache,
    "gemm": lambda dims, a, b: a @ b,
    "sdpa": attention,
    "rms_norm": lambda dims, x, weight: normalise(x, weight),
    "softmax": lambda dims, x: softmax(x),
    "geglu": lambda dims, a, b: gelu(a) * b,
    "gated_mlp": lambda dims, x, a, b: silu(x @ a) * (x @ b),
    "@NAME@": lambda dims, x, y: x + y,
}

MATRICES = [{"M": 37, "N": 70, "K": 33}, {"M": 64, "N": 32, "K": 64}, {"M": 1, "N": 1, "K": 1}]
TILES = [{"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 32, "GROUP_M": 2}, {"BLOCK_M": 32, "BLOCK_N": 16, "BLOCK_K": 16, "GROUP_M": 1}]
ROWS = [{"M": 5, "N": 70}, {"M": 4, "N": 64}, {"M": 1, "N": 1}]
HEADS = [{"B": 2, "H": 1, "S": 37, "D": 16}, {"B": 1, "H": 3, "S": 70, "D": 48}, {"B": 1, "H": 2, "S": 64, "D": 32}, {"B": 1, "H": 1, "S": 1, "D": 16}]
ATTENTION = [{**dims, "causal": causal} for dims in HEADS for causal in (False, True)]
FULL_HEADS = [{"B": 2, "H": 2, "S": 64, "D": 32, "causal": causal} for causal in (False, True)]

FLAT = {"A_GAP": 0, "B_GAP": 0, "OUT_GAP": 0, "GAP": 0, "inplace": False, "ALPHA": -0.3}
MAPS = [{**FLAT, "M": 5, "N": 70}, {**FLAT, "M": 4, "N": 64, "A_GAP": 6, "B_GAP": 3, "OUT_GAP": 2, "GAP": 9}, {**FLAT, "M": 1, "N": 1},
        {**FLAT, "M": 3, "N": 33, "A_GAP": 4, "GAP": 4, "OUT_GAP": 4, "inplace": True}]
HALVES = [{**dims, "GAP": dims["GAP"] - dims["N"] if dims["inplace"] else dims["GAP"]} for dims in MAPS[:3]]
PARTS = [{"BLOCK_M": m, "BLOCK_SIZE": 128, "BLOCK_SIZE_SUB": sub, "WALK": sub < 128} for m, sub in ((1, 32), (1, 128), (2, 32))]
JOINED = [{"M": m, "N0": 70, "N1": b, "N2": c, "N3": d, "GAP": gap, "OUT_GAP": gap} for m, b, c, d, gap in ((3, 0, 0, 0, 0), (1, 300, 1, 0, 0), (5, 33, 1, 129, 3))]
TOKENS = [{"M": m, "H": h, "N": n, "GAP": gap, "OUT_GAP": 2 * gap, "inplace": False} for m, h, n, gap in ((5, 1, 70, 0), (2, 3, 64, 5), (4, 1, 33, 3), (1, 1, 1, 0))]
TOKENS += [{"M": 3, "H": 2, "N": 40, "GAP": 6, "OUT_GAP": 6, "inplace": True}]
NORMS = [{"BLOCK_M": m, "BLOCK_N": n, "WALK": m == 2} for m, n in ((1, 16), (2, 16), (2, 128))]
SCORES = [{"B": b, "Q": q, "K": k, "GAP": gap, "BATCH_GAP": 0 if gap == 4 else 2 * gap, "OUT_GAP": gap, "inplace": gap == 4} for b, q, k, gap in ((1, 5, 70, 0), (3, 7, 33, 5), (2, 9, 9, 4), (2, 1, 1, 0))]
HEADED = [{"M": 3, "NQ": 5, "NKV": 2, "D": d, "R": r, "P": 9, "GAP": gap, "neox": neox, "inplace": gap == 6}
          for d, r, gap in ((16, 16, 0), (20, 12, 5), (12, 6, 6), (2, 2, 0)) for neox in (True, False)]
CACHES = [{"M": m, "NKV": 2, "D": d, "BLOCKS": 3, "BLOCK": 4, "GAP": gap} for m, d, gap in ((7, 9, 0), (5, 40, 3), (1, 1, 0))]

# Workload, implementation: sizes and configurations; a configuration with WALK also in two programs.
CASES = {
    ("gemm", "triton"): (MATRICES, [{**tile, "WALK": walk} for tile in TILES for walk in (False, True)]),
    ("gated_mlp", "triton"): (MATRICES, [{**tile, "WALK": walk} for tile in TILES for walk in (False, True)]),
    **{(name, "triton"): (MAPS, PARTS) for name in ("add", "geglu")},
    **{(name, "triton"): (MAPS[:2], PARTS[1:]) for name in ("mul", "swiglu", "cast")},
    ("silu_and_mul", "triton"): (HALVES, PARTS),
    ("cat", "triton"): (JOINED, PARTS),
    ("rms_norm", "triton"): (TOKENS, NORMS),
    ("add_rms_norm", "triton"): (TOKENS[:-1], NORMS),
    ("causal_softmax", "triton"): (SCORES, NORMS),
    ("rotary_embedding", "triton"): (HEADED, [{"BLOCK_H": 2, "WALK": True}, {"BLOCK_H": 8, "WALK": False}]),
    ("apply_rotary_pos_emb", "triton"): (HEADED, [{"BLOCK_H": 2, "WALK": True}, {"BLOCK_H": 8, "WALK": False}]),
    ("reshape_and_cache", "triton"): (CACHES, [{"BLOCK_N": n, "WALK": n == 16} for n in (16, 128)]),
    ("softmax", "triton"): (ROWS, [{"BLOCK_M": m, "BLOCK_N": n, "WALK": m == 2} for m in (1, 2) for n in (16, 128)]),
    ("templates/triton", "blocks"): ([{"N": 1000}, {"N": 1}], [{"BLOCK": 256}, {"BLOCK": 512}]),
    ("sdpa", "triton"): (ATTENTION, [{"BLOCK_M": m, "BLOCK_N": n, "BLOCK_SIZE_SUB": s} for m, n, s in ((64, 32, 16), (32, 64, 32))]),
    ("sdpa", "triton-cuda"): (ATTENTION, [{"BLOCK_M": 32, "BLOCK_N": 16, "REVERSE": False}, {"BLOCK_M": 16, "BLOCK_N": 64, "REVERSE": True}]),
    ("sdpa", "triton-persistent"): (FULL_HEADS, [{"BLOCK_M": m, "BLOCK_N": n, "SPECIALIZED": s, "PROGRAMS": 0} for m, n, s in ((32, 16, False), (16, 64, False), (32, 16, True))]),
    ("sdpa", "triton-descriptors"): (ATTENTION, [{"BLOCK_M": 32, "BLOCK_N": 16, "REVERSE": False}, {"BLOCK_M": 16, "BLOCK_N": 64, "REVERSE": True}]),
}


class TwinArgument(ctypes.Union):
    _fields_ = [("address", ctypes.c_void_p), ("integer", ctypes.c_int64), ("real", ctypes.c_double)]


class TwinKernel(ctypes.Structure):
    """As in workloads/npu/twin.h."""

    _fields_ = [("name", ctypes.c_char_p), ("mix_mode", ctypes.c_char_p), ("arguments", ctypes.c_char_p),
                ("run", ctypes.CFUNCTYPE(None, ctypes.POINTER(TwinArgument), ctypes.c_int64, ctypes.c_int64)),
                ("work", ctypes.c_void_p), ("output", ctypes.c_void_p), ("ub_bytes", ctypes.c_int64), ("l0c_bytes", ctypes.c_int64),
                ("overlaps", ctypes.c_int), ("pure", ctypes.c_int)]


class TwinBinary(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_uint32), ("n", ctypes.c_uint32), ("soc", ctypes.c_char_p), ("kernels", ctypes.POINTER(TwinKernel))]


CTYPES = {"f32": "float", "f16": "uint16_t", "bf16": "uint16_t", "i64": "int64_t", "i32": "int32_t"}
FOLDER = tempfile.TemporaryDirectory()


@functools.cache
def twin(source, macros):
    """The kernel of a twin that was compiled with these macros."""
    library = os.path.join(FOLDER.name, f"{abs(hash((source, macros)))}.so")
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", *(f"-D{name}={value}" for name, value in macros), "-o", library, source, "-lm"], check=True)
    binary = TwinBinary.in_dll(ctypes.CDLL(library), "twin_binary")
    assert binary.n == 1
    return binary.kernels[0]


def run_twin(problem, implementation, config, programs, tensors, arguments):
    """Computes with the twin what the kernel computes with the same arguments; tensors: the arrays by name."""
    values = {**built_values(implementation, config), **problem.constants(implementation, config)}
    macros = [(f"DTYPE_{name}", number) for number, name in enumerate(("f32", "f16", "bf16", "f8e4m3", "f8e5m2"))]
    for variable, dtype in problem.dtypes.items():
        macros += [(f"DTYPE_{variable}", f"DTYPE_{dtype}"), (f"CTYPE_{variable}", CTYPES[dtype])]
    kernel = twin(str(problem.workload.file.parent / implementation["standin"]["source"]), (*macros, *((name, int(value)) for name, value in sorted(values.items()))))
    given = (TwinArgument * len(arguments))()
    assert len(kernel.arguments) == len(arguments)
    for slot, letter, stated, value in zip(given, kernel.arguments.decode(), implementation["arguments"], arguments):
        if letter in "po":
            slot.address = tensors[stated["tensor"]].ctypes.data if stated["tensor"] in tensors else None
        elif letter in "fd":
            slot.real = value
        else:
            slot.integer = value
    for program in range(programs):
        kernel.run(given, program, programs)


def argument(problem, tensors, stated, config, blocks):
    if "tensor" in stated:
        return tensors.get(stated["tensor"])
    if "tensor_map" in stated:
        tensor = tensors[stated["tensor_map"]["tensor"]]
        box = [problem.evaluate(size, config) for size in stated["tensor_map"]["box"]]
        return TensorDescriptor(tensor, list(tensor.shape), tensor.stride(), box)
    return blocks if "builtin" in stated else problem.evaluate(stated["scalar"], config)


def fill(problem, name, rng):
    """The content of a tensor that is read."""
    stated, shape, of_numpy = problem.workload.content["tensors"][name].get("fill", {}), problem.shape_of(name), DTYPES[problem.dtype_of(name)][0]
    if stated.get("kind") == "slots":
        slots = rng.permutation(problem.evaluate(stated["slots"]))[: shape[0]].astype(of_numpy)
        slots[::3] = -1
        return slots
    if np.issubdtype(of_numpy, np.integer):
        return rng.integers(0, problem.evaluate(stated["high"]), shape, of_numpy)
    return (rng.standard_normal(shape) * problem.evaluate(stated.get("std", 1)) + problem.evaluate(stated.get("mean", 0))).astype(of_numpy)


def lay_out(problem, implementation, rng):
    """Arrays of the arguments by name, views of memories whose gaps and outputs have NaN, and the memories."""
    arrays, memories = {}, {}
    passed = {(a.get("tensor_map") or a).get("tensor") for a in implementation["arguments"]}
    for name, stated in problem.workload.content["tensors"].items():
        if name not in passed or not problem.is_there(name):  # inputs that none takes put special numbers into the others
            continue
        shape, strides, of = problem.shape_of(name), problem.strides_of(name), problem.shared_by(name)
        of_numpy = DTYPES[problem.dtype_of(name)][0]
        if of not in memories:
            size = 1 + sum((n - 1) * stride for n, stride in zip(shape, strides))
            memories[of] = np.full(size, np.nan, of_numpy) if np.issubdtype(of_numpy, np.floating) else np.zeros(size, of_numpy)
        arrays[name] = np.lib.stride_tricks.as_strided(memories[of], shape, [stride * memories[of].itemsize for stride in strides])
        if stated["role"] != "out":
            arrays[name][...] = fill(problem, name, rng)
    return arrays, memories


def outputs_of(problem):
    return [name for name, tensor in problem.workload.content["tensors"].items() if tensor["role"] != "in" and problem.is_there(name)]


def part_of(error, allowed):
    """The largest part of what is allowed; 0 of it where nothing is."""
    return np.where(error == 0, 0, error / np.where(allowed == 0, np.finfo(np.float64).tiny, allowed)).max()


def worst(problem, implementation, config, programs, rng):
    """The largest error, as a part of what is allowed, and the twin's beside the kernel, None where there is no twin for this configuration."""
    workload, state = problem.workload, rng.bit_generator.state
    arrays, memories = lay_out(problem, implementation, rng)
    rng.bit_generator.state = state
    copies, copied = lay_out(problem, implementation, rng)
    gaps = {name: np.isnan(memory) for name, memory in memories.items() if np.issubdtype(memory.dtype, np.floating)}
    tensors = {name: Tensor(array, DTYPES[problem.dtype_of(name)][1]) for name, array in arrays.items()}
    read = [array.astype(np.float64) for name, array in arrays.items() if workload.content["tensors"][name]["role"] != "out"]
    blocks = problem.blocks(implementation, config)
    arguments = [argument(problem, tensors, stated, config, blocks) for stated in implementation["arguments"]]
    workload.kernel(implementation)[(min(blocks, programs),)](*arguments, **built_values(implementation, config), **problem.constants(implementation, config))
    wants = REFERENCES[workload.content["name"]](problem.dims, *read)
    outputs = outputs_of(problem)
    wants = wants if isinstance(wants, dict) else {outputs[0]: wants}
    if "standin" in implementation and {**config, **implementation.get("constants", {})}.get("WALK"):
        run_twin(problem, implementation, config, min(blocks, programs), copies, arguments)
    part, beside = 0.0, None
    for name in outputs:
        atol, rtol = problem.tolerance(name)
        want = wants[name].astype(arrays[name].dtype).astype(np.float64) if rtol == 0 and atol == 0 else wants[name]
        allowed = atol + rtol * np.abs(want)
        part = max(part, part_of(np.abs(arrays[name].astype(np.float64) - want), allowed))
        if "standin" in implementation and {**config, **implementation.get("constants", {})}.get("WALK"):
            beside = max(beside or 0.0, part_of(np.abs(copies[name].astype(np.float64) - arrays[name]), allowed))
    for name, was in gaps.items():  # of an output its elements have numbers now, and nothing else has
        for out in outputs:
            if problem.shared_by(out) == name:
                np.lib.stride_tricks.as_strided(was, arrays[out].shape, [stride for stride in Tensor(arrays[out], None).stride()])[...] = False
        for memory in (memories, copied) if beside is not None else (memories,):
            part = part if (np.isnan(memory[name]) == was).all() else np.inf
    return part, beside


def cases():
    for (name, of), (sizes, configs) in CASES.items():
        workload = Workload(name)
        (implementation,) = (i for i in workload.implementations() if i["name"] == of)
        types = [pairs for pairs in workload.dtypes() if all(dtype in DTYPES for dtype in pairs.values())]
        for (i, dims), (k, dtypes) in itertools.product(enumerate(sizes), enumerate(types)):
            problem = Problem(workload, dims, dtypes)
            # Of one configuration, another one for the next types of a size, the next size of types.
            for config in configs if "--all" in sys.argv else [configs[(i + k) % len(configs)]]:
                config = dict(config)
                if "HEAD" in implementation["parameters"]:
                    config["HEAD"] = max(16, 1 << (dims["D"] - 1).bit_length())
                walks = config.get("WALK", "PROGRAMS" in config or implementation.get("constants", {}).get("WALK", False))
                for programs in (1 << 30, 2) if walks else (1 << 30,):
                    yield problem, implementation, config, programs


def main():
    rng, n, failed = np.random.default_rng(1), 0, 0
    for problem, implementation, config, programs in cases():
        n += 1
        part, beside = worst(problem, implementation, config, programs, rng)
        right = part <= 1 and (beside is None or beside <= 1)
        failed += not right
        what = f"{problem.workload.content['name']} {implementation['name']} {' '.join(problem.dtypes.values())} {problem.dims} {config}"
        twins = "" if beside is None else f", its twin {beside:.3f} beside it"
        print(f"{'ok' if right else 'not ok'} {n} - {what}{', in 2 programs' if programs == 2 else ''}: {part:.3f} of the tolerance{twins}")
    print(f"1..{n}")
    return failed > 0


sys.exit(main())
