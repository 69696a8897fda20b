"""Gated activation of two matrices, out = input silu(gate), silu(x) = x / (1 + exp(-x)), for GPUs and Ascend NPUs."""

import triton
import triton.language as tl

from ..python.rows import map_rows


@triton.jit
def gated(input, gate, scale):
    return input * (gate / (1.0 + tl.exp(-gate)))


@triton.jit
def swiglu(input, gate, out, M, N, input_stride, gate_stride, out_stride, blocks,
           BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, FLAT: tl.constexpr, WALK: tl.constexpr):
    map_rows(gated, input, gate, out, M, N, input_stride, gate_stride, out_stride, 1.0, blocks, BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB, FLAT, WALK)
