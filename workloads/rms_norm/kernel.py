"""Root-mean-square normalisation of rows, out = x / sqrt(mean(x^2) + epsilon) weight, for GPUs and Ascend NPUs.

A block is BLOCK_M rows. WHOLE: BLOCK_N holds a row, which is read once; else rows are walked in parts of BLOCK_N, once for the squares
and once for the result. With WALK a program takes every num_programs-th of the `blocks` blocks; without, each has one.
"""

import triton
import triton.language as tl


@triton.jit
def scale_rows(x, weight, out, block, M, N, epsilon, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr):
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.arange(0, BLOCK_N)[None, :]
    at = rows.to(tl.int64) * N + columns
    if WHOLE:
        there = (rows < M) & (columns < N)
        values = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
        factor = tl.rsqrt(tl.sum(values * values, 1) / N + epsilon)
        scales = tl.load(weight + columns, mask=columns < N, other=0.0).to(tl.float32)
        tl.store(out + at, (values * factor[:, None] * scales).to(out.dtype.element_ty), mask=there)
    else:
        squares = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        for start in range(0, N, BLOCK_N):
            there = (rows < M) & (columns < N - start)
            values = tl.load(x + at + start, mask=there, other=0.0).to(tl.float32)
            squares += values * values
        factor = tl.rsqrt(tl.sum(squares, 1) / N + epsilon)
        for start in range(0, N, BLOCK_N):
            there = (rows < M) & (columns < N - start)
            values = tl.load(x + at + start, mask=there, other=0.0).to(tl.float32)
            scales = tl.load(weight + start + columns, mask=columns < N - start, other=0.0).to(tl.float32)
            tl.store(out + at + start, (values * factor[:, None] * scales).to(out.dtype.element_ty), mask=there)


@triton.jit
def rms_norm(x, weight, out, M, N, epsilon, blocks,
             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr, WALK: tl.constexpr):
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            scale_rows(x, weight, out, block, M, N, epsilon, BLOCK_M, BLOCK_N, WHOLE)
    else:
        scale_rows(x, weight, out, tl.program_id(0), M, N, epsilon, BLOCK_M, BLOCK_N, WHOLE)
