"""Scaled-dot-product attention, forward: out = softmax(scale q k^T) v over [B, H, S, D] tensors, for GPUs and Ascend NPUs.

A block is BLOCK_M queries of one head; blocks do not depend on each other. With WALK a program takes every num_programs-th of the
`blocks` blocks, so any number of programs computes all of them, and walks a block in sub-blocks of BLOCK_SIZE_SUB queries: what has to
fit on chip at a time is one of these against BLOCK_N keys (online softmax), whatever BLOCK_M is. Without, a program has one block.
HEAD is D rounded up to a power of two. Keys that every query of a block sees are walked without masks; TAIL says that others follow:
those of the diagonal, and those of the last block of keys, which may be cut off. REVERSE starts with the last queries of each head,
which see most keys where attention is causal. `scale` is that of powers of two.
"""

import triton
import triton.language as tl


@triton.jit
def attend_keys(queries, rows, columns, k, v, start, end, S, D, scale, highest, total, result,
                BLOCK_N: tl.constexpr, FULL_HEAD: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr):
    for first in range(start, end, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        at = keys[:, None] * D + columns[None, :]
        there = columns[None, :] < D
        if MASKED:
            there = there & (keys[:, None] < S)
        if FULL_HEAD and not MASKED:
            key = tl.load(k + at)
        else:
            key = tl.load(k + at, mask=there, other=0.0)
        scores = tl.dot(queries, tl.trans(key), input_precision="ieee")
        if MASKED:
            seen = keys[None, :] < S
            if CAUSAL:
                seen = seen & (keys[None, :] <= rows[:, None])
            scores = tl.where(seen, scores, float("-inf"))
        now = tl.maximum(highest, tl.max(scores, 1) * scale)
        weights = tl.exp2(scores * scale - now[:, None])
        if MASKED:
            weights = tl.where(seen, weights, 0.0)
        shrink = tl.exp2(highest - now)
        if FULL_HEAD and not MASKED:
            value = tl.load(v + at)
        else:
            value = tl.load(v + at, mask=there, other=0.0)
        result = tl.dot(weights.to(value.dtype), value, result * shrink[:, None], input_precision="ieee")
        total = total * shrink + tl.sum(weights, 1)
        highest = now
    return highest, total, result


@triton.jit
def attend(q, k, v, out, first, S, D, scale,
           ROWS: tl.constexpr, BLOCK_N: tl.constexpr, HEAD: tl.constexpr, FULL_HEAD: tl.constexpr, CAUSAL: tl.constexpr,
           TAIL: tl.constexpr):
    """`first` is the first of ROWS queries; the pointers are those of its head."""
    rows = first + tl.arange(0, ROWS)
    columns = tl.arange(0, HEAD)
    at = rows[:, None] * D + columns[None, :]
    inside = (rows[:, None] < S) & (columns[None, :] < D)
    queries = tl.load(q + at, mask=inside, other=0.0)
    highest = tl.full([ROWS], float("-inf"), dtype=tl.float32)
    total = tl.zeros([ROWS], dtype=tl.float32)
    result = tl.zeros([ROWS, HEAD], dtype=tl.float32)
    seen, end = S // BLOCK_N * BLOCK_N, S
    if CAUSAL:
        # The first query sees the keys up to itself, and so does every other.
        seen, end = first // BLOCK_N * BLOCK_N, tl.minimum(S, first + ROWS)
    highest, total, result = attend_keys(queries, rows, columns, k, v, 0, seen, S, D, scale, highest, total, result,
                                         BLOCK_N, FULL_HEAD, CAUSAL, False)
    if TAIL:
        highest, total, result = attend_keys(queries, rows, columns, k, v, seen, end, S, D, scale, highest, total, result,
                                             BLOCK_N, FULL_HEAD, CAUSAL, True)
    tl.store(out + at, (result / total[:, None]).to(out.dtype.element_ty), mask=inside)


@triton.jit
def sdpa(q, k, v, out, S, D, scale, blocks,
         BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, HEAD: tl.constexpr, FULL_HEAD: tl.constexpr,
         CAUSAL: tl.constexpr, TAIL: tl.constexpr, REVERSE: tl.constexpr, WALK: tl.constexpr):
    blocks_of_head = tl.cdiv(S, BLOCK_M)
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            head = (block // blocks_of_head).to(tl.int64) * S * D
            first = (block % blocks_of_head * BLOCK_M).to(tl.int32)
            for start in range(first, tl.minimum(first + BLOCK_M, S), BLOCK_SIZE_SUB):
                attend(q + head, k + head, v + head, out + head, start, S, D, scale, BLOCK_SIZE_SUB, BLOCK_N, HEAD, FULL_HEAD, CAUSAL, TAIL)
    else:
        block = tl.program_id(0)
        head = (block // blocks_of_head).to(tl.int64) * S * D
        first = block % blocks_of_head * BLOCK_M
        if REVERSE:
            first = (blocks_of_head - 1 - block % blocks_of_head) * BLOCK_M
        attend(q + head, k + head, v + head, out + head, first, S, D, scale, BLOCK_M, BLOCK_N, HEAD, FULL_HEAD, CAUSAL, TAIL)
