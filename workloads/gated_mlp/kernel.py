"""Gated half of a perceptron, out = silu(x a) (x b), in one kernel: x [M, K], a and b [K, N], all row-major, for GPUs and Ascend NPUs.

A block is BLOCK_M x BLOCK_N of both products, whose sums stay in float32; rows of x are loaded once for both. GROUP_M rows of blocks
are taken column by column, so that programs that run at the same time share what they load. Blocks do not depend on each other. With
WALK a program takes every num_programs-th of the `blocks` blocks; without, each has one.
"""

import triton
import triton.language as tl


@triton.jit
def multiply(x, a, b, out, block, M, N, K,
             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, EVEN_K: tl.constexpr):
    blocks_n = tl.cdiv(N, BLOCK_N)
    first = block // (GROUP_M * blocks_n) * GROUP_M
    height = tl.minimum(tl.cdiv(M, BLOCK_M) - first, GROUP_M)
    inside = block % (GROUP_M * blocks_n)
    rows = (first + inside % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = inside // height * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    left = x + rows[:, None].to(tl.int64) * K + depth[None, :]
    right = depth[:, None].to(tl.int64) * N + columns[None, :]
    gates = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    values = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        if EVEN_K:
            there = columns[None, :] < N
            row = tl.load(left, mask=rows[:, None] < M, other=0.0)
        else:
            there = (depth[:, None] < K - start) & (columns[None, :] < N)
            row = tl.load(left, mask=(rows[:, None] < M) & (depth[None, :] < K - start), other=0.0)
        gates = tl.dot(row, tl.load(a + right, mask=there, other=0.0), gates, input_precision="ieee")
        values = tl.dot(row, tl.load(b + right, mask=there, other=0.0), values, input_precision="ieee")
        left += BLOCK_K
        right += BLOCK_K * N
    at = out + rows[:, None].to(tl.int64) * N + columns[None, :]
    result = gates / (1.0 + tl.exp(-gates)) * values
    tl.store(at, result.to(out.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def gated_mlp(x, a, b, out, M, N, K, blocks,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, EVEN_K: tl.constexpr,
              WALK: tl.constexpr):
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            multiply(x, a, b, out, block, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, EVEN_K)
    else:
        multiply(x, a, b, out, tl.program_id(0), M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, EVEN_K)
