# add of __main__, with what it calls and names.

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, scale, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n) * scale, i < n)
