"""Rows of matrices by blocks: what Triton kernels for GPUs and Ascend NPUs share.

A matrix has M rows of N elements, which lie side by side; ..._stride elements lie between the beginnings of two rows. Elements are calculated with in float32.
With WALK a program takes every num_programs-th of the blocks; without, each has one.
"""

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)

# ---- maps: a formula for each element ----


@triton.jit
def map_tile(FORMULA: tl.constexpr, a, b, out, rows, first, M, N, a_stride, b_stride, out_stride, scale,
             BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr):
    """Maps `rows`, [BLOCK_M, 1], from column `first` on: BLOCK_SIZE columns in parts of BLOCK_SIZE_SUB, of which one has to fit on chip. `b` may be None."""
    for start in range(0, BLOCK_SIZE, BLOCK_SIZE_SUB):
        columns = first + start + tl.arange(0, BLOCK_SIZE_SUB)[None, :]
        there = (rows < M) & (columns < N)
        left = tl.load(a + rows * a_stride + columns, mask=there, other=0.0).to(tl.float32)
        right = left
        if b is not None:
            right = tl.load(b + rows * b_stride + columns, mask=there, other=0.0).to(tl.float32)
        tl.store(out + rows * out_stride + columns, FORMULA(left, right, scale).to(out.dtype.element_ty), mask=there)


@triton.jit
def map_block(FORMULA: tl.constexpr, a, b, out, block, M, N, a_stride, b_stride, out_stride, scale,
              BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, FLAT: tl.constexpr):
    if FLAT:
        rows = tl.zeros([1, 1], dtype=tl.int64)
        map_tile(FORMULA, a, b, out, rows, tl.cast(block, tl.int64) * BLOCK_SIZE, 1, tl.cast(M, tl.int64) * N, 0, 0, 0, scale, BLOCK_SIZE, BLOCK_SIZE_SUB)
    else:
        blocks_n = tl.cdiv(N, BLOCK_SIZE)
        rows = (block // blocks_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]).to(tl.int64)
        map_tile(FORMULA, a, b, out, rows, block % blocks_n * BLOCK_SIZE, M, N, a_stride, b_stride, out_stride, scale, BLOCK_SIZE, BLOCK_SIZE_SUB)


@triton.jit
def map_rows(FORMULA: tl.constexpr, a, b, out, M, N, a_stride, b_stride, out_stride, scale, blocks,
             BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, FLAT: tl.constexpr, WALK: tl.constexpr):
    """Stores FORMULA(element of a, element of b, scale). A block is BLOCK_M rows by BLOCK_SIZE columns; FLAT: matrices without gaps, taken as one row."""
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            map_block(FORMULA, a, b, out, block, M, N, a_stride, b_stride, out_stride, scale, BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB, FLAT)
    else:
        map_block(FORMULA, a, b, out, tl.program_id(0), M, N, a_stride, b_stride, out_stride, scale, BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB, FLAT)


@triton.jit
def copy_tile(x, out, rows, first, M, N, x_stride, out_stride, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr):
    """Copies `rows` from column `first` on, in the parts of map_tile()."""
    for start in range(0, BLOCK_SIZE, BLOCK_SIZE_SUB):
        columns = first + start + tl.arange(0, BLOCK_SIZE_SUB)[None, :]
        there = (rows < M) & (columns < N)
        tl.store(out + rows * out_stride + columns, tl.load(x + rows * x_stride + columns, mask=there), mask=there)


# ---- rows of B matrices, ..._matrix elements from one to the next: a block is BLOCK_M rows of one ----


@triton.jit
def place_block(block, M, BLOCK_M: tl.constexpr):
    """Matrix of a block, and its rows, [BLOCK_M, 1]."""
    blocks_m = tl.cdiv(M, BLOCK_M)
    return tl.cast(block // blocks_m, tl.int64), (block % blocks_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]).to(tl.int64)


# ---- norms: a factor for each row, of the mean of its squares ----


@triton.jit
def norm_load(x, added, total, columns, there):
    """Elements of x, or of its sum with `added`, rounded as the sum is stored in `total`."""
    values = tl.load(x + columns, mask=there, other=0.0).to(tl.float32)
    if added is not None:
        values = (values + tl.load(added + columns, mask=there, other=0.0).to(tl.float32)).to(x.dtype.element_ty)
        if total is not None:
            tl.store(total + columns, values, mask=there)
        values = values.to(tl.float32)
    return values


@triton.jit
def norm_block(FACTOR: tl.constexpr, x, added, total, weight, out, block, M, N, x_matrix, x_stride, out_matrix, out_stride, epsilon,
               BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr):
    matrix, rows = place_block(block, M, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)[None, :]
    x += matrix * x_matrix + rows * x_stride
    out += matrix * out_matrix + rows * out_stride
    if added is not None:
        added += matrix * x_matrix + rows * x_stride
        total += matrix * out_matrix + rows * out_stride
    if WHOLE:
        there = (rows < M) & (columns < N)
        values = norm_load(x, added, total, columns, there)
        factor = FACTOR(tl.sum(values * values, 1) / N, epsilon)
        scales = tl.load(weight + columns, mask=columns < N, other=0.0).to(tl.float32)
        tl.store(out + columns, (values * factor[:, None] * scales).to(out.dtype.element_ty), mask=there)
    else:
        squares = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        for start in range(0, N, BLOCK_N):
            values = norm_load(x, added, total, start + columns, (rows < M) & (columns < N - start))
            squares += values * values
        factor = FACTOR(tl.sum(squares, 1) / N, epsilon)
        for start in range(0, N, BLOCK_N):
            there = (rows < M) & (columns < N - start)
            values = norm_load(x, added, None, start + columns, there)
            scales = tl.load(weight + start + columns, mask=columns < N - start, other=0.0).to(tl.float32)
            tl.store(out + start + columns, (values * factor[:, None] * scales).to(out.dtype.element_ty), mask=there)


@triton.jit
def norm_rows(FACTOR: tl.constexpr, x, added, total, weight, out, M, N, x_matrix, x_stride, out_matrix, out_stride, epsilon, blocks,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr, WALK: tl.constexpr):
    """Stores x FACTOR(mean of the row's squares, epsilon) weight; where `added` is not None, of the sum of both, which is stored in `total`.

    WHOLE: BLOCK_N holds a row, which is read once; else rows are walked in parts of BLOCK_N, once for the squares and once for the result. Then `total` is no
    memory of x and `added`: the sum is made anew.
    """
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            norm_block(FACTOR, x, added, total, weight, out, block, M, N, x_matrix, x_stride, out_matrix, out_stride, epsilon, BLOCK_M, BLOCK_N, WHOLE)
    else:
        norm_block(FACTOR, x, added, total, weight, out, tl.program_id(0), M, N, x_matrix, x_stride, out_matrix, out_stride, epsilon, BLOCK_M, BLOCK_N, WHOLE)


@triton.jit
def root_mean_square(mean, epsilon):
    return tl.rsqrt(mean + epsilon)


# ---- softmax ----


@triton.jit
def softmax_block(x, out, block, M, N, x_matrix, x_stride, out_matrix, out_stride,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr, CAUSAL: tl.constexpr):
    matrix, rows = place_block(block, M, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)[None, :]
    x += matrix * x_matrix + rows * x_stride
    out += matrix * out_matrix + rows * out_stride
    seen = N
    if CAUSAL:
        seen = N - M + 1 + rows.to(tl.int32)
    if WHOLE:
        there = (rows < M) & (columns < seen)
        values = tl.load(x + columns, mask=there, other=float("-inf")).to(tl.float32)
        largest = tl.max(tl.where(rows < M, values, 0.0), 1)
        weights = tl.where(there, tl.exp2((values - largest[:, None]) * LOG2_E), 0.0)
        tl.store(out + columns, (weights * (1.0 / tl.sum(weights, 1))[:, None]).to(out.dtype.element_ty), mask=(rows < M) & (columns < N))
    else:
        most_seen = N
        if CAUSAL:
            most_seen = tl.minimum(N, N - M + (block % tl.cdiv(M, BLOCK_M) + 1) * BLOCK_M)
        largest = tl.full([BLOCK_M, BLOCK_N], -3.0e38, dtype=tl.float32)
        sums = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        for start in range(0, most_seen, BLOCK_N):
            there = (rows < M) & (columns < seen - start)
            values = tl.load(x + start + columns, mask=there, other=-3.0e38).to(tl.float32)
            now = tl.maximum(largest, values)
            sums = sums * tl.exp2((largest - now) * LOG2_E) + tl.where(there, tl.exp2((values - now) * LOG2_E), 0.0)
            largest = now
        most = tl.max(largest, 1)
        total = tl.sum(sums * tl.exp2((largest - most[:, None]) * LOG2_E), 1)
        for start in range(0, N, BLOCK_N):
            there = (rows < M) & (columns < seen - start)
            values = tl.load(x + start + columns, mask=there, other=0.0).to(tl.float32)
            weights = tl.exp2((values - most[:, None]) * LOG2_E)
            if CAUSAL:
                weights = tl.where(there, weights, 0.0)
            tl.store(out + start + columns, (weights * (1.0 / total)[:, None]).to(out.dtype.element_ty), mask=(rows < M) & (columns < N - start))


@triton.jit
def softmax_rows(x, out, M, N, x_matrix, x_stride, out_matrix, out_stride, blocks,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr, CAUSAL: tl.constexpr, WALK: tl.constexpr):
    """Stores exp(x - max(x)) / sum(exp(x - max(x))) of each row. CAUSAL: row i of a matrix has its first N - M + 1 + i elements alone, the others the weight 0.

    WHOLE: BLOCK_N holds a row, which is read once; else rows are walked in parts of BLOCK_N, once for the largest element and the sum, which shrinks whenever a
    larger element is found, and once for the result.
    """
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            softmax_block(x, out, block, M, N, x_matrix, x_stride, out_matrix, out_stride, BLOCK_M, BLOCK_N, WHOLE, CAUSAL)
    else:
        softmax_block(x, out, tl.program_id(0), M, N, x_matrix, x_stride, out_matrix, out_stride, BLOCK_M, BLOCK_N, WHOLE, CAUSAL)
