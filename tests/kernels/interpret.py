"""The workloads' Triton kernels in Triton's interpreter, against float64, within the workloads' tolerances, and each kernel's twin in C for the stand-in
of an NPU against what the interpreter gives. Prints TAP.

Needs triton (3.4.0 and 3.9.0 are what it was written with) and numpy; without them it is skipped. The interpreter copies a framework's
tensors to the host and back: the arrays here are there already, so these two steps are left out.
"""
import ctypes
import functools
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
DTYPES = {"f32": (np.float32, tl.float32), "f16": (np.float16, tl.float16)}


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


REFERENCES = {
    "gemm": lambda dims, a, b: a @ b,
    "sdpa": attention,
    "rms_norm": lambda dims, x, weight: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * weight,
    "softmax": lambda dims, x: softmax(x),
    "geglu": lambda dims, a, b: gelu(a) * b,
    "gated_mlp": lambda dims, x, a, b: silu(x @ a) * (x @ b),
    "@NAME@": lambda dims, x, y: x + y,
}

MATRICES = [{"M": 37, "N": 70, "K": 33}, {"M": 64, "N": 32, "K": 64}, {"M": 1, "N": 1, "K": 1}]
TILES = [{"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 32, "GROUP_M": 2}, {"BLOCK_M": 32, "BLOCK_N": 16, "BLOCK_K": 16, "GROUP_M": 1}]
ROWS = [{"M": 5, "N": 70}, {"M": 4, "N": 64}, {"M": 1, "N": 1}]
NORMS = [{**rows, "H": heads, "GAP": 0, "OUT_GAP": 0, "inplace": False} for rows, heads in zip(ROWS, (1, 2, 1))]
HEADS = [{"B": 2, "H": 1, "S": 37, "D": 16}, {"B": 1, "H": 3, "S": 70, "D": 48}, {"B": 1, "H": 2, "S": 64, "D": 32}, {"B": 1, "H": 1, "S": 1, "D": 16}]
ATTENTION = [{**dims, "causal": causal} for dims in HEADS for causal in (False, True)]
FULL_HEADS = [{"B": 2, "H": 2, "S": 64, "D": 32, "causal": causal} for causal in (False, True)]

# Workload, implementation: sizes and configurations; a configuration with WALK also in two programs.
CASES = {
    ("gemm", "triton"): (MATRICES, [{**tile, "WALK": walk} for tile in TILES for walk in (False, True)]),
    ("gated_mlp", "triton"): (MATRICES, [{**tile, "WALK": walk} for tile in TILES for walk in (False, True)]),
    ("rms_norm", "triton"): (NORMS, [{"BLOCK_M": m, "BLOCK_N": n, "WALK": m == 2} for m in (1, 2) for n in (16, 128)]),
    ("softmax", "triton"): (ROWS, [{"BLOCK_M": m, "BLOCK_N": n, "WALK": m == 2} for m in (1, 2) for n in (16, 128)]),
    ("templates/triton", "blocks"): ([{"N": 1000}, {"N": 1}], [{"BLOCK": 256}, {"BLOCK": 512}]),
    ("geglu", "triton"): (ROWS, [{"BLOCK_SIZE": 128, "BLOCK_SIZE_SUB": sub, "WALK": sub < 128} for sub in (32, 128)]),
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
    macros = [*((f"DTYPE_{name}", number) for number, name in enumerate(("f32", "f16", "bf16", "f8e4m3", "f8e5m2"))), ("DTYPE_T", f"DTYPE_{problem.dtype}"),
              ("CTYPE_T", "float" if problem.dtype == "f32" else "uint16_t"), *((name, int(value)) for name, value in sorted(values.items()))]
    kernel = twin(str(problem.workload.file.parent / implementation["standin"]["source"]), tuple(macros))
    given = (TwinArgument * len(arguments))()
    assert len(kernel.arguments) == len(arguments)
    for slot, letter, stated, value in zip(given, kernel.arguments.decode(), implementation["arguments"], arguments):
        if letter in "po":
            slot.address = tensors[stated["tensor"]].ctypes.data
        elif letter in "fd":
            slot.real = value
        else:
            slot.integer = value
    for program in range(programs):
        kernel.run(given, program, programs)


def argument(problem, tensors, stated, config, blocks):
    if "tensor" in stated:
        return tensors[stated["tensor"]]
    if "tensor_map" in stated:
        tensor = tensors[stated["tensor_map"]["tensor"]]
        box = [problem.evaluate(size, config) for size in stated["tensor_map"]["box"]]
        return TensorDescriptor(tensor, list(tensor.shape), tensor.stride(), box)
    return blocks if "builtin" in stated else problem.evaluate(stated["scalar"], config)


def worst(problem, implementation, config, programs, rng):
    """The largest error, as a part of what is allowed, and the twin's beside the kernel, None where there is no twin for this configuration."""
    workload = problem.workload
    of_numpy, of_triton = DTYPES[problem.dtype]
    arrays = {}
    for name, tensor in workload.content["tensors"].items():
        shape, fill = problem.shape_of(name), tensor.get("fill", {"std": "1"})
        random = rng.standard_normal(shape) * problem.evaluate(fill["std"]) + problem.evaluate(fill.get("mean", 0))
        arrays[name] = np.full(shape, np.nan, of_numpy) if tensor["role"] == "out" else random.astype(of_numpy)
    tensors = {name: Tensor(array, of_triton) for name, array in arrays.items()}
    blocks = problem.blocks(implementation, config)
    arguments = [argument(problem, tensors, stated, config, blocks) for stated in implementation["arguments"]]
    copies = {name: array.copy() for name, array in arrays.items()}
    workload.kernel(implementation)[(min(blocks, programs),)](*arguments, **built_values(implementation, config), **problem.constants(implementation, config))
    (out,) = (name for name, tensor in workload.content["tensors"].items() if tensor["role"] == "out")
    given = arrays.pop(out)
    want = REFERENCES[workload.content["name"]](problem.dims, *(array.astype(np.float64) for array in arrays.values()))
    atol, rtol = problem.tolerance(out)
    allowed = atol + rtol * np.abs(want)
    beside = None
    if "standin" in implementation and {**config, **implementation.get("constants", {})}.get("WALK"):
        run_twin(problem, implementation, config, min(blocks, programs), copies, arguments)
        beside = (np.abs(copies[out].astype(np.float64) - given) / allowed).max()
    return (np.abs(given - want) / allowed).max(), beside


def cases():
    for (name, of), (sizes, configs) in CASES.items():
        workload = Workload(name)
        (implementation,) = (i for i in workload.implementations() if i["name"] == of)
        for dims in sizes:
            for dtype in (d for d in DTYPES if d in workload.dtypes()):
                problem = Problem(workload, dims, dtype)
                for config in configs:
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
        what = f"{problem.workload.content['name']} {implementation['name']} {problem.dtype} {problem.dims} {config}"
        twins = "" if beside is None else f", its twin {beside:.3f} beside it"
        print(f"{'ok' if right else 'not ok'} {n} - {what}{', in 2 programs' if programs == 2 else ''}: {part:.3f} of the tolerance{twins}")
    print(f"1..{n}")
    return failed > 0


sys.exit(main())
