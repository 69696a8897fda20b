"""Gated activation out = gelu(a) b, element by element, with gelu in its tanh form, for GPUs and Ascend NPUs."""

import triton
import triton.language as tl

from ..python.rows import map_rows

SQRT_8_PI = tl.constexpr(1.5957691216057308)  # 2 sqrt(2 / pi)


@triton.jit
def gated(gate, value, scale):
    # gelu(x) = x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u))
    return gate / (1.0 + tl.exp(-SQRT_8_PI * (gate + 0.044715 * gate * gate * gate))) * value


@triton.jit
def geglu(a, b, out, M, N, a_stride, b_stride, out_stride, blocks,
          BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, FLAT: tl.constexpr, WALK: tl.constexpr):
    map_rows(gated, a, b, out, M, N, a_stride, b_stride, out_stride, 1.0, blocks, BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB, FLAT, WALK)
