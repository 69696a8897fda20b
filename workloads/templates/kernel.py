"""@NAME@: out = x + y; a program takes BLOCK elements.

Change: what is computed, here and in reference.c. A tl.constexpr is a parameter of @NAME@.json of the same name, or one of its "constants"; the other
arguments are those of its "arguments", in order.
"""

import triton
import triton.language as tl


@triton.jit
def kernel(x, y, out, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = at < N
    tl.store(out + at, tl.load(x + at, mask=there) + tl.load(y + at, mask=there), mask=there)
