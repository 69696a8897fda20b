"""Product of two matrices element by element, for GPUs and Ascend NPUs."""

import triton
import triton.language as tl

from ..python.rows import map_rows


@triton.jit
def multiply(input, other, scale):
    return input * other


@triton.jit
def mul(input, other, out, M, N, input_stride, other_stride, out_stride, blocks,
        BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, FLAT: tl.constexpr, WALK: tl.constexpr):
    map_rows(multiply, input, other, out, M, N, input_stride, other_stride, out_stride, 1.0, blocks, BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB, FLAT, WALK)
