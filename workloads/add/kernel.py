"""Sum of two matrices, out = input + alpha other, for GPUs and Ascend NPUs."""

import triton
import triton.language as tl

from ..python.rows import map_rows


@triton.jit
def add_scaled(input, other, alpha):
    return input + alpha * other


@triton.jit
def add(input, other, out, M, N, input_stride, other_stride, out_stride, alpha, blocks,
        BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, FLAT: tl.constexpr, WALK: tl.constexpr):
    map_rows(add_scaled, input, other, out, M, N, input_stride, other_stride, out_stride, alpha, blocks, BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB, FLAT, WALK)
