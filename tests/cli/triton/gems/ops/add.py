import triton
import triton.language as tl

from ..runtime import tuned


@tuned("mm", cache=True)
@triton.jit
def add_kernel(x, y, M, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    tl.store(y + rows, tl.load(x + rows, mask=rows < M), mask=rows < M)


def unused(fn):
    return fn


@unused
@triton.jit
def untuned_kernel(x, M):
    tl.store(x, M)
