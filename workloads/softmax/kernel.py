"""Softmax of rows, out = exp(x - max(x)) / sum(exp(x - max(x))), for GPUs and Ascend NPUs.

A block is BLOCK_M rows. WHOLE: BLOCK_N holds a row, which is read once; else rows are walked in parts of BLOCK_N, once for the largest
element and the sum, which shrinks whenever a larger element is found, and once for the result. With WALK a program takes every
num_programs-th of the `blocks` blocks; without, each has one.
"""

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def normalise_rows(x, out, block, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr):
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.arange(0, BLOCK_N)[None, :]
    at = rows.to(tl.int64) * N + columns
    if WHOLE:
        there = (rows < M) & (columns < N)
        values = tl.load(x + at, mask=there, other=float("-inf")).to(tl.float32)
        largest = tl.max(tl.where(rows < M, values, 0.0), 1)
        weights = tl.where(there, tl.exp2((values - largest[:, None]) * LOG2_E), 0.0)
        tl.store(out + at, (weights * (1.0 / tl.sum(weights, 1))[:, None]).to(out.dtype.element_ty), mask=there)
    else:
        largest = tl.full([BLOCK_M, BLOCK_N], -3.0e38, dtype=tl.float32)
        sums = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        for start in range(0, N, BLOCK_N):
            there = (rows < M) & (columns < N - start)
            values = tl.load(x + at + start, mask=there, other=-3.0e38).to(tl.float32)
            now = tl.maximum(largest, values)
            sums = sums * tl.exp2((largest - now) * LOG2_E) + tl.where(there, tl.exp2((values - now) * LOG2_E), 0.0)
            largest = now
        most = tl.max(largest, 1)
        total = tl.sum(sums * tl.exp2((largest - most[:, None]) * LOG2_E), 1)
        for start in range(0, N, BLOCK_N):
            there = (rows < M) & (columns < N - start)
            values = tl.load(x + at + start, mask=there, other=0.0).to(tl.float32)
            weights = tl.exp2((values - most[:, None]) * LOG2_E)
            tl.store(out + at + start, (weights * (1.0 / total)[:, None]).to(out.dtype.element_ty), mask=there)


@triton.jit
def softmax(x, out, M, N, blocks, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr, WALK: tl.constexpr):
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            normalise_rows(x, out, block, M, N, BLOCK_M, BLOCK_N, WHOLE)
    else:
        normalise_rows(x, out, tl.program_id(0), M, N, BLOCK_M, BLOCK_N, WHOLE)
