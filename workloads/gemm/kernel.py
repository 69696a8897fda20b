"""Matrix product C = A B of row-major matrices, A [M, K], B [K, N], for GPUs and Ascend NPUs.

A block is BLOCK_M x BLOCK_N of C, in steps of BLOCK_K; GROUP_M rows of blocks are taken column by column, so that programs that run
at the same time share rows of A and columns of B. Blocks do not depend on each other. With WALK a program takes every
num_programs-th of the `blocks` blocks, so any number of programs computes all of them; without, each has one.
"""

import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, block, M, N, K,
             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, EVEN_K: tl.constexpr):
    blocks_n = tl.cdiv(N, BLOCK_N)
    first = block // (GROUP_M * blocks_n) * GROUP_M
    height = tl.minimum(tl.cdiv(M, BLOCK_M) - first, GROUP_M)
    inside = block % (GROUP_M * blocks_n)
    rows = (first + inside % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = inside // height * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    left = a + rows[:, None].to(tl.int64) * K + depth[None, :]
    right = b + depth[:, None].to(tl.int64) * N + columns[None, :]
    sums = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        if EVEN_K:
            x = tl.load(left, mask=rows[:, None] < M, other=0.0)
            y = tl.load(right, mask=columns[None, :] < N, other=0.0)
        else:
            x = tl.load(left, mask=(rows[:, None] < M) & (depth[None, :] < K - start), other=0.0)
            y = tl.load(right, mask=(depth[:, None] < K - start) & (columns[None, :] < N), other=0.0)
        sums = tl.dot(x, y, sums, input_precision="ieee")
        left += BLOCK_K
        right += BLOCK_K * N
    at = c + rows[:, None].to(tl.int64) * N + columns[None, :]
    tl.store(at, sums.to(c.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def gemm(a, b, c, M, N, K, blocks,
         BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, EVEN_K: tl.constexpr,
         WALK: tl.constexpr):
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            multiply(a, b, c, block, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, EVEN_K)
    else:
        multiply(a, b, c, tl.program_id(0), M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, EVEN_K)
