"""Kernel of tests: a table of verdicts is of this text. Nothing compiles it."""

import triton
import triton.language as tl


@triton.jit
def rows(x, out, S, N, scale, more, blocks, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, ORDER: tl.constexpr, WHOLE: tl.constexpr, KIND: tl.constexpr, BIAS: tl.constexpr,
         WALK: tl.constexpr):
    pass
