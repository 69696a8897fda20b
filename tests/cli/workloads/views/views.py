"""The right kernel in Triton, a program for each row; y is written through a descriptor."""

import triton
import triton.language as tl


@triton.jit
def views(x, first, y, signs, bias, before, after, n, row, WIDTH: tl.constexpr):
    i = tl.program_id(0)
    j = tl.arange(0, WIDTH)
    value = tl.load(x + i * row + j, mask=j < n) + tl.load(first + i * row) + tl.load(bias + i * row)
    y.store([i, 0], value[None, :])
    tl.store(signs + i * row, tl.where(tl.load(x + i * row) < 0, -1, 1))
    if i == 0:
        tl.store(after + j, 2 * tl.load(before + j, mask=j < n) + 1, mask=j < n)
