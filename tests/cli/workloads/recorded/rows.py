"""The program's kernel in Triton, and the two that are wrong."""

import triton
import triton.language as tl


@triton.jit
def rows(x, mask, y, z, r, n, VARIANT: tl.constexpr):
    FACTOR: tl.constexpr = 2.125 if VARIANT == 2 else 2.0
    for row in range(r):
        is_masked = tl.load(mask + row) != 0
        if VARIANT == 1 or not is_masked:
            k = row * n + tl.arange(0, 8)
            tl.store(y + k, FACTOR * tl.load(x + k))
        if not is_masked:
            tl.store(z + row, tl.load(z + row) + 1)
