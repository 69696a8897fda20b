"""Gated activation out = gelu(a) b, element by element, with gelu in its tanh form, for GPUs and Ascend NPUs.

A block is BLOCK_SIZE elements, walked in parts of BLOCK_SIZE_SUB: only a part has to fit on chip. With WALK a program takes every
num_programs-th of the `blocks` blocks; without, each has one.
"""

import triton
import triton.language as tl

SQRT_8_PI = tl.constexpr(1.5957691216057308)  # 2 sqrt(2 / pi)


@triton.jit
def activate(a, b, out, block, count, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr):
    for start in range(0, BLOCK_SIZE, BLOCK_SIZE_SUB):
        at = tl.cast(block, tl.int64) * BLOCK_SIZE + start + tl.arange(0, BLOCK_SIZE_SUB)
        there = at < count
        gate = tl.load(a + at, mask=there, other=0.0).to(tl.float32)
        value = tl.load(b + at, mask=there, other=0.0).to(tl.float32)
        # gelu(x) = x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u))
        gelu = gate / (1.0 + tl.exp(-SQRT_8_PI * (gate + 0.044715 * gate * gate * gate)))
        tl.store(out + at, (gelu * value).to(out.dtype.element_ty), mask=there)


@triton.jit
def geglu(a, b, out, count, blocks, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, WALK: tl.constexpr):
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            activate(a, b, out, block, count, BLOCK_SIZE, BLOCK_SIZE_SUB)
    else:
        activate(a, b, out, tl.program_id(0), count, BLOCK_SIZE, BLOCK_SIZE_SUB)
