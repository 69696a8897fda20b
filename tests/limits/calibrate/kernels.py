"""Triton kernels that no workload has, for the search for bounds of memory: rows, rotation, one query's attention, a loss in two passes, a product with a wide epilogue."""

import triton
import triton.language as tl


@triton.jit
def layer_norm(x, weight, bias, out, M, N, blocks, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr):
    """(x - mean) / sqrt(variance + eps) * weight + bias. WHOLE: BLOCK_N holds a row; else rows are walked in parts, thrice."""
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        rows = block * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
        columns = tl.arange(0, BLOCK_N)[None, :]
        at = rows * N + columns
        if WHOLE:
            there = (rows < M) & (columns < N)
            v = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
            d = tl.where(there, v - (tl.sum(v, 1) / N)[:, None], 0.0)
            scale = tl.rsqrt(tl.sum(d * d, 1) / N + 1e-5)
            w = tl.load(weight + columns, mask=columns < N, other=0.0).to(tl.float32)
            b = tl.load(bias + columns, mask=columns < N, other=0.0).to(tl.float32)
            tl.store(out + at, (d * scale[:, None] * w + b).to(out.dtype.element_ty), mask=there)
        else:
            sums = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
            for start in range(0, N, BLOCK_N):
                there = (rows < M) & (columns < N - start)
                sums += tl.load(x + at + start, mask=there, other=0.0).to(tl.float32)
            mean = tl.sum(sums, 1) / N
            squares = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
            for start in range(0, N, BLOCK_N):
                there = (rows < M) & (columns < N - start)
                d = tl.load(x + at + start, mask=there, other=0.0).to(tl.float32) - mean[:, None]
                squares += tl.where(there, d * d, 0.0)
            scale = tl.rsqrt(tl.sum(squares, 1) / N + 1e-5)
            for start in range(0, N, BLOCK_N):
                there = (rows < M) & (columns < N - start)
                v = tl.load(x + at + start, mask=there, other=0.0).to(tl.float32)
                w = tl.load(weight + start + columns, mask=columns < N - start, other=0.0).to(tl.float32)
                b = tl.load(bias + start + columns, mask=columns < N - start, other=0.0).to(tl.float32)
                tl.store(out + at + start, ((v - mean[:, None]) * scale[:, None] * w + b).to(out.dtype.element_ty), mask=there)


@triton.jit
def rotary(x, cosines, sines, out, T, H, D, blocks, BLOCK_T: tl.constexpr, BLOCK_H: tl.constexpr, HALF: tl.constexpr, FULL: tl.constexpr):
    """Rotates the two halves of each head of [T, H, D]: BLOCK_T tokens x BLOCK_H heads x HALF at a time. FULL: D is twice HALF."""
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        tokens = block * BLOCK_T + tl.arange(0, BLOCK_T)
        columns = tl.arange(0, HALF)
        angle = tokens[:, None] * (D // 2) + columns[None, :]
        known = tokens[:, None] < T
        if not FULL:
            known = known & (columns[None, :] < D // 2)
        c = tl.load(cosines + angle, mask=known, other=0.0).to(tl.float32)[:, None, :]
        s = tl.load(sines + angle, mask=known, other=0.0).to(tl.float32)[:, None, :]
        for first in range(0, H, BLOCK_H):
            heads = first + tl.arange(0, BLOCK_H)
            at = (tokens[:, None, None] * H + heads[None, :, None]) * D + columns[None, None, :]
            there = (tokens[:, None, None] < T) & (heads[None, :, None] < H)
            if not FULL:
                there = there & (columns[None, None, :] < D // 2)
            low = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
            high = tl.load(x + at + D // 2, mask=there, other=0.0).to(tl.float32)
            tl.store(out + at, (low * c - high * s).to(out.dtype.element_ty), mask=there)
            tl.store(out + at + D // 2, (high * c + low * s).to(out.dtype.element_ty), mask=there)


@triton.jit
def decode(q, k, v, out, S, scale, heads, GROUP: tl.constexpr, BLOCK_N: tl.constexpr, HEAD: tl.constexpr, TAIL: tl.constexpr):
    """Attention of GROUP queries that share the keys of one head, one step of decoding: keys are walked by BLOCK_N. TAIL: the last block is cut off."""
    for head in range(tl.program_id(0), heads, tl.num_programs(0)):
        queries = tl.arange(0, GROUP)
        columns = tl.arange(0, HEAD)
        at = (head * GROUP + queries[:, None]) * HEAD + columns[None, :]
        query = tl.load(q + at)
        highest = tl.full([GROUP], float("-inf"), dtype=tl.float32)
        total = tl.zeros([GROUP], dtype=tl.float32)
        result = tl.zeros([GROUP, HEAD], dtype=tl.float32)
        for first in range(0, S, BLOCK_N):
            keys = first + tl.arange(0, BLOCK_N)
            of_keys = (head * S + keys[:, None]) * HEAD + columns[None, :]
            if TAIL:
                key = tl.load(k + of_keys, mask=keys[:, None] < S, other=0.0)
                value = tl.load(v + of_keys, mask=keys[:, None] < S, other=0.0)
            else:
                key = tl.load(k + of_keys)
                value = tl.load(v + of_keys)
            scores = tl.dot(query, tl.trans(key)) * scale
            if TAIL:
                scores = tl.where(keys[None, :] < S, scores, float("-inf"))
            now = tl.maximum(highest, tl.max(scores, 1))
            weights = tl.exp(scores - now[:, None])
            shrink = tl.exp(highest - now)
            result = result * shrink[:, None] + tl.dot(weights.to(value.dtype), value)
            total = total * shrink + tl.sum(weights, 1)
            highest = now
        tl.store(out + at, (result / total[:, None]).to(out.dtype.element_ty))


@triton.jit
def cross_entropy(x, targets, losses, gradient, M, N, blocks, smoothing, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, SMOOTH: tl.constexpr):
    """Loss and gradient of rows of logits: one pass for the sum of exponentials, one for the gradient. SMOOTH spreads a part of the target over all columns."""
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = tl.arange(0, BLOCK_N)
        at = rows[:, None] * N + columns[None, :]
        target = tl.load(targets + rows, mask=rows < M, other=0)
        highest = tl.full([BLOCK_M], -3.0e38, dtype=tl.float32)
        total = tl.zeros([BLOCK_M], dtype=tl.float32)
        hit = tl.zeros([BLOCK_M], dtype=tl.float32)
        mean = tl.zeros([BLOCK_M], dtype=tl.float32)
        for start in range(0, N, BLOCK_N):
            there = (rows[:, None] < M) & (columns[None, :] < N - start)
            v = tl.load(x + at + start, mask=there, other=-3.0e38).to(tl.float32)
            now = tl.maximum(highest, tl.max(v, 1))
            total = total * tl.exp(highest - now) + tl.sum(tl.exp(v - now[:, None]), 1)
            hit += tl.sum(tl.where(columns[None, :] + start == target[:, None], v, 0.0), 1)
            if SMOOTH:
                mean += tl.sum(tl.where(there, v, 0.0), 1) / N
            highest = now
        loss = highest + tl.log(total) - hit
        if SMOOTH:
            loss += smoothing * (hit - mean)
        tl.store(losses + rows, loss, mask=rows < M)
        for start in range(0, N, BLOCK_N):
            there = (rows[:, None] < M) & (columns[None, :] < N - start)
            v = tl.load(x + at + start, mask=there, other=0.0).to(tl.float32)
            p = tl.exp(v - highest[:, None]) / total[:, None]
            if SMOOTH:
                p -= smoothing / N
                p -= tl.where(columns[None, :] + start == target[:, None], 1.0 - smoothing, 0.0)
            else:
                p -= tl.where(columns[None, :] + start == target[:, None], 1.0, 0.0)
            tl.store(gradient + at + start, (p / M).to(gradient.dtype.element_ty), mask=there)


@triton.jit
def linear_gelu(a, b, bias, residual, out, M, N, K, blocks,
                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, RESIDUAL: tl.constexpr):
    """gelu(a b + bias), and with RESIDUAL another matrix added to it: a product whose epilogue needs more of UB than its sums."""
    blocks_n = tl.cdiv(N, BLOCK_N)
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        rows = block // blocks_n * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = block % blocks_n * BLOCK_N + tl.arange(0, BLOCK_N)
        sums = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        for start in range(0, K, BLOCK_K):
            depth = start + tl.arange(0, BLOCK_K)
            left = tl.load(a + rows[:, None] * K + depth[None, :], mask=(rows[:, None] < M) & (depth[None, :] < K), other=0.0)
            right = tl.load(b + depth[:, None] * N + columns[None, :], mask=(depth[:, None] < K) & (columns[None, :] < N), other=0.0)
            sums = tl.dot(left, right, sums)
        v = sums + tl.load(bias + columns, mask=columns < N, other=0.0).to(tl.float32)[None, :]
        v = v / (1.0 + tl.exp(-1.5957691216057308 * (v + 0.044715 * v * v * v)))
        at = rows[:, None] * N + columns[None, :]
        there = (rows[:, None] < M) & (columns[None, :] < N)
        if RESIDUAL:
            v += tl.load(residual + at, mask=there, other=0.0).to(tl.float32)
        tl.store(out + at, v.to(out.dtype.element_ty), mask=there)
