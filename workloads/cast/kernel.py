"""Conversion of a matrix to another type, rounded to the nearest number, ties to even, for GPUs and Ascend NPUs."""

import triton
import triton.language as tl

from ..python.rows import map_rows


@triton.jit
def same(input, other, scale):
    return input


@triton.jit
def cast(input, out, M, N, input_stride, out_stride, blocks,
         BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, FLAT: tl.constexpr, WALK: tl.constexpr):
    map_rows(same, input, None, out, M, N, input_stride, 0, out_stride, 1.0, blocks, BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB, FLAT, WALK)
