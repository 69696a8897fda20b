"""Attention as in kernel.py for GPUs that copy by tensor descriptors: boxes of q, k, v and out, [B, H, S, D] tensors.

A program has one block: BLOCK_M queries of one head. What lies behind the end of a tensor is read as 0 and not written.
"""

import triton
import triton.language as tl


@triton.jit
def attend_keys(queries, rows, k, v, batch, head, start, end, S, scale, highest, total, result,
                BLOCK_N: tl.constexpr, HEAD: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr):
    for first in range(start, end, BLOCK_N):
        key = k.load([batch, head, first, 0]).reshape(BLOCK_N, HEAD)
        scores = tl.dot(queries, key.T)
        if MASKED:
            keys = first + tl.arange(0, BLOCK_N)
            if CAUSAL:
                seen = keys[None, :] <= rows[:, None]  # queries behind the end, which see keys behind it, are not written
            else:
                seen = keys[None, :] < S
            scores = tl.where(seen, scores, float("-inf"))
        now = tl.maximum(highest, tl.max(scores, 1) * scale)
        weights = tl.exp2(scores * scale - now[:, None])
        if MASKED and not CAUSAL:
            weights = tl.where(seen, weights, 0.0)
        shrink = tl.exp2(highest - now)
        value = v.load([batch, head, first, 0]).reshape(BLOCK_N, HEAD)
        result = tl.dot(weights.to(value.dtype), value, result * shrink[:, None])
        total = total * shrink + tl.sum(weights, 1)
        highest = now
    return highest, total, result


@triton.jit
def sdpa(q, k, v, out, H, S, scale,
         BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HEAD: tl.constexpr, CAUSAL: tl.constexpr, TAIL: tl.constexpr,
         REVERSE: tl.constexpr):
    blocks_of_head = tl.cdiv(S, BLOCK_M)
    block = tl.program_id(0)
    batch, head = block // blocks_of_head // H, block // blocks_of_head % H
    first = block % blocks_of_head * BLOCK_M
    if REVERSE:
        first = (blocks_of_head - 1 - block % blocks_of_head) * BLOCK_M
    rows = first + tl.arange(0, BLOCK_M)
    queries = q.load([batch, head, first, 0]).reshape(BLOCK_M, HEAD)
    highest = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    result = tl.zeros([BLOCK_M, HEAD], dtype=tl.float32)
    seen, end = S // BLOCK_N * BLOCK_N, S
    if CAUSAL:
        seen, end = first // BLOCK_N * BLOCK_N, tl.minimum(S, first + BLOCK_M)
    highest, total, result = attend_keys(queries, rows, k, v, batch, head, 0, seen, S, scale, highest, total, result,
                                         BLOCK_N, HEAD, CAUSAL, False)
    if TAIL:
        highest, total, result = attend_keys(queries, rows, k, v, batch, head, seen, end, S, scale, highest, total, result,
                                             BLOCK_N, HEAD, CAUSAL, True)
    out.store([batch, head, first, 0], (result / total[:, None]).to(out.dtype).reshape(1, 1, BLOCK_M, HEAD))
