"""workloads/sdpa/kernel.py in Triton's interpreter, against attention in float64, within the workload's tolerances. Prints TAP.

Needs triton (3.9.0 is what it was written with) and numpy; without them it is skipped. The interpreter copies a framework's tensors
to the host and back: the arrays here are there already, so these two steps are left out.
"""
import importlib.util
import itertools
import json
import os
import pathlib
import sys

os.environ["TRITON_INTERPRET"] = "1"
try:
    import numpy as np
    import triton
    import triton.language as tl
    from triton.runtime.interpreter import GridExecutor
except ImportError as e:
    print(f"1..0 # SKIP {e}")
    sys.exit(0)

GridExecutor._init_args_hst = lambda self, args, kwargs: (list(args), dict(kwargs))
GridExecutor._restore_args_dev = lambda *args: None
WORKLOADS = pathlib.Path(__file__).resolve().parents[2] / "workloads"
DTYPES = {"f32": (np.float32, tl.float32), "f16": (np.float16, tl.float16)}


class Tensor:
    def __init__(self, array, dtype):
        self.array, self.dtype = array, dtype

    def data_ptr(self):
        return self.array.ctypes.data


def load_kernel():
    spec = importlib.util.spec_from_file_location("kernel", WORKLOADS / "sdpa" / "kernel.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel"] = module  # where triton looks for the source
    spec.loader.exec_module(module)
    return module.sdpa


def attention(q, k, v, causal):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) * q.shape[-1] ** -0.5
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[1:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def worst(kernel, tolerance, rng, dtype, dims, blocks, programs):
    """The largest error, as a part of what is allowed."""
    heads, S, D, causal = (dims[name] for name in ("BH", "S", "D", "causal"))
    of_numpy, of_triton = DTYPES[dtype]
    q, k, v = (rng.standard_normal((heads, S, D)).astype(of_numpy) for _ in range(3))
    out = np.full_like(q, np.nan)
    n = -(-S // blocks["BLOCK_M"]) * heads
    head = max(16, 1 << (D - 1).bit_length())
    kernel[(min(n, programs),)](*(Tensor(x, of_triton) for x in (q, k, v, out)), S, D, int(causal), D ** -0.5, n, HEAD=head, **blocks)
    want = attention(q, k, v, causal)
    atol, rtol = (eval(str(tolerance[dtype][name]), {}, {"min": min, **dims}) for name in ("atol", "rtol"))
    return (np.abs(out - want) / (atol + rtol * np.abs(want))).max()


def main():
    tolerance = json.loads((WORKLOADS / "sdpa.json").read_text())["tensors"]["out"]["verify"]["tolerance"]
    kernel, rng = load_kernel(), np.random.default_rng(1)
    shapes = [{"BH": 2, "S": 37, "D": 16}, {"BH": 3, "S": 70, "D": 24}]
    blocks = [dict(BLOCK_M=m, BLOCK_N=n, BLOCK_SIZE_SUB=s) for m, n, s in ((64, 32, 16), (32, 64, 32))]
    cases = list(itertools.product(DTYPES, shapes, (False, True), blocks, (1 << 30, 2)))
    failed = 0
    print(f"1..{len(cases)}")
    for i, (dtype, shape, causal, block, programs) in enumerate(cases, 1):
        part = worst(kernel, tolerance, rng, dtype, {**shape, "causal": causal}, block, programs)
        failed += not part <= 1
        folded = ", in 2 programs" if programs == 2 else ""
        print(f"{'ok' if part <= 1 else 'not ok'} {i} - {dtype} {shape} causal={causal} {block}{folded}: {part:.3f} of the tolerance")
    return failed > 0


sys.exit(main())
