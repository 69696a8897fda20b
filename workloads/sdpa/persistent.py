"""Attention as in kernel.py for GPUs that copy by tensor descriptors, where heads are a power of two and blocks divide the sequence: a tensor is one matrix
of B * H * S rows then, which descriptors that are made here cut into boxes.

A program takes every num_programs-th of the `blocks` blocks, BLOCK_M queries of one head each. SPECIALIZED divides its warps (Hopper): one group copies, each
of two others multiplies for half of the queries, so that the softmax of one half runs beside the products of the other, and a block begins while the one
before is written. The compiler (Triton 3.4 to 3.9) divides one loop alone, so that causal attention masks every block of keys then. The queries of one head
are taken from the last, those of the next from the first: each program sees about as many keys.
"""

import triton
import triton.language as tl


@triton.jit
def attend_keys(queries, rows, k, v, base, start, end, scale, highest, total, result, BLOCK_N: tl.constexpr, MASKED: tl.constexpr):
    for first in tl.range(start, end, BLOCK_N):
        scores = tl.dot(queries, k.load([base + first, 0]).T)
        if MASKED:
            keys = tl.arange(0, BLOCK_N)
            scores = tl.where(keys[None, :] <= (rows - first)[:, None], scores, float("-inf"))
        now = tl.maximum(highest, tl.max(scores, 1) * scale)
        weights = tl.exp2(scores * scale - now[:, None])
        shrink = tl.exp2(highest - now)
        total = total * shrink + tl.sum(weights, 1)
        value = v.load([base + first, 0])
        result = tl.dot(weights.to(value.dtype), value, result * shrink[:, None])
        highest = now
    return highest, total, result


@triton.jit
def sdpa(q, k, v, out, S, scale, blocks,
         BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HEAD: tl.constexpr, CAUSAL: tl.constexpr, SPECIALIZED: tl.constexpr):
    blocks_of_head = tl.cdiv(S, BLOCK_M)
    every_row = blocks * BLOCK_M
    q = tl.make_tensor_descriptor(q, [every_row, HEAD], [HEAD, 1], [BLOCK_M, HEAD])
    k = tl.make_tensor_descriptor(k, [every_row, HEAD], [HEAD, 1], [BLOCK_N, HEAD])
    v = tl.make_tensor_descriptor(v, [every_row, HEAD], [HEAD, 1], [BLOCK_N, HEAD])
    out = tl.make_tensor_descriptor(out, [every_row, HEAD], [HEAD, 1], [BLOCK_M, HEAD])
    for block in tl.range(tl.program_id(0), blocks, tl.num_programs(0), warp_specialize=SPECIALIZED):
        head = block // blocks_of_head
        base = head * S
        turn = block % blocks_of_head
        # No branch: the compiler divides no loop that has one.
        first = tl.where(head % 2 == 0, blocks_of_head - 1 - turn, turn) * BLOCK_M
        rows = first + tl.arange(0, BLOCK_M)
        queries = q.load([base + first, 0])
        highest = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
        total = tl.zeros([BLOCK_M], dtype=tl.float32)
        result = tl.zeros([BLOCK_M, HEAD], dtype=tl.float32)
        if not CAUSAL:
            highest, total, result = attend_keys(queries, rows, k, v, base, 0, S, scale, highest, total, result, BLOCK_N, False)
        elif SPECIALIZED:
            highest, total, result = attend_keys(queries, rows, k, v, base, 0, first + BLOCK_M, scale, highest, total, result, BLOCK_N, True)
        else:
            # The first query sees the keys up to itself, and so does every other.
            seen = first // BLOCK_N * BLOCK_N
            highest, total, result = attend_keys(queries, rows, k, v, base, 0, seen, scale, highest, total, result, BLOCK_N, False)
            highest, total, result = attend_keys(queries, rows, k, v, base, seen, first + BLOCK_M, scale, highest, total, result, BLOCK_N, True)
        out.store([base + first, 0], (result * (1.0 / total)[:, None]).to(out.dtype))
