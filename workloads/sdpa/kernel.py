"""Scaled-dot-product attention, forward: out = softmax(scale * q k^T) v over [B, H, S, D] tensors, for Ascend NPUs.

A block is BLOCK_M queries of one head; blocks do not depend on each other. A program takes every num_programs-th of the `blocks`
blocks, so any number of programs computes all of them. A block is walked in sub-blocks of BLOCK_SIZE_SUB queries: what has to fit
on chip at a time is one of these against BLOCK_N keys (online softmax), whatever BLOCK_M is. HEAD is D rounded up to a power of two.
"""

import triton
import triton.language as tl


@triton.jit
def attend(q, k, v, out, first, S, D, causal, scale, ROWS: tl.constexpr, BLOCK_N: tl.constexpr, HEAD: tl.constexpr):
    """`first` is the first query of the sub-block; the pointers are those of its head."""
    rows = first + tl.arange(0, ROWS)
    columns = tl.arange(0, HEAD)
    at = rows[:, None] * D + columns[None, :]
    inside = (rows[:, None] < S) & (columns[None, :] < D)
    queries = tl.load(q + at, mask=inside, other=0.0)
    highest = tl.full([ROWS], float("-inf"), dtype=tl.float32)
    total = tl.zeros([ROWS], dtype=tl.float32)
    result = tl.zeros([ROWS, HEAD], dtype=tl.float32)
    end = S
    if causal:
        end = tl.minimum(S, first + ROWS)
    for start in range(0, end, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        there = (keys[:, None] < S) & (columns[None, :] < D)
        block = keys[:, None] * D + columns[None, :]
        key = tl.load(k + block, mask=there, other=0.0)
        scores = tl.dot(queries, tl.trans(key)) * scale
        # The first key is seen by every query, so that no row is without one.
        seen = (keys[None, :] < S) & ((keys[None, :] <= rows[:, None]) | (causal == 0))
        scores = tl.where(seen, scores, float("-inf"))
        now = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp(scores - now[:, None])
        shrink = tl.exp(highest - now)
        value = tl.load(v + block, mask=there, other=0.0)
        result = result * shrink[:, None] + tl.dot(weights.to(value.dtype), value)
        total = total * shrink + tl.sum(weights, 1)
        highest = now
    tl.store(out + at, (result / total[:, None]).to(out.dtype.element_ty), mask=inside)


@triton.jit
def sdpa(q, k, v, out, S, D, causal, scale, blocks,
         BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, HEAD: tl.constexpr):
    blocks_of_head = tl.cdiv(S, BLOCK_M)
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        head = (block // blocks_of_head).to(tl.int64) * S * D
        first = (block % blocks_of_head * BLOCK_M).to(tl.int32)
        for start in range(first, tl.minimum(first + BLOCK_M, S), BLOCK_SIZE_SUB):
            attend(q + head, k + head, v + head, out + head, start, S, D, causal, scale, BLOCK_SIZE_SUB, BLOCK_N, HEAD)
