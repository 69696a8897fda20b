import triton
import triton.language as tl

from .. import runtime
from ..runtime import libentry, libtuner

print("what a module prints as it is imported is dropped " * 10000)


@libentry()
@libtuner(configs=runtime.get_tuned_config("mm"), key=["M", "N", "K", "stride_am"], strategy=["align32", "align32", "align32", "align32"])
@triton.heuristics(runtime.get_heuristic_config("mm"))
@triton.jit
def mm_kernel(A, B, C, M, N, K, stride_am, dtype: tl.constexpr, GROUP_M: tl.constexpr, EVEN_K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    A = A + (rows[:, None] * stride_am)
    b = tl.make_tensor_descriptor(B, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    x = tl.load(A)
    y = b.load([0, 0])
    tl.store(C + rows, x + y)
