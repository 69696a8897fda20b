"""For a chip that is not here: the library's lists have none for it."""

import triton
import triton.language as tl

from ..runtime import get_tuned_config


@triton.autotune(configs=get_tuned_config("add"), key=["M"])
@triton.jit
def add_kernel(x, M, BLOCK_M: tl.constexpr):
    tl.store(x, M)


@triton.autotune(configs=[], generate_configs="zero", key=["M"])
@triton.jit
def zero_kernel(x, M, BLOCK_M: tl.constexpr):
    tl.store(x, M)
