"""Gated activation of the halves of rows, x = [gate | up], out = silu(gate) up, silu(x) = x / (1 + exp(-x)), for GPUs and Ascend NPUs. N columns are those of out."""

import triton
import triton.language as tl

from ..python.rows import map_rows


@triton.jit
def gated(gate, up, scale):
    return gate / (1.0 + tl.exp(-gate)) * up


@triton.jit
def silu_and_mul(x, out, M, N, x_stride, out_stride, blocks,
                 BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, FLAT: tl.constexpr, WALK: tl.constexpr):
    map_rows(gated, x, x + N, out, M, N, x_stride, x_stride, out_stride, 1.0, blocks, BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB, FLAT, WALK)
