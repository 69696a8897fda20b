"""Rotary embedding of query and key, [tokens, heads, D], by a table whose row for a position has the cosines of the pairs, then their sines. For GPUs and NPUs.

Outputs may be the inputs' memory. With WALK a program takes every num_programs-th of the `blocks` blocks (python/rotary.py); without, each has one.
"""

import triton
import triton.language as tl

from ..python.rotary import rotate_token


@triton.jit
def rotate_block(positions, query, key, table, query_out, key_out, query_heads, key_heads, D, PAIRS, query_stride, key_stride, query_out_stride, key_out_stride, block,
                 BLOCK_H: tl.constexpr, HALF: tl.constexpr, OTHERS: tl.constexpr, INTERLEAVED: tl.constexpr):
    groups = tl.cdiv(query_heads, BLOCK_H) + tl.cdiv(key_heads, BLOCK_H)
    token = tl.cast(block // groups, tl.int64)
    angles = table + tl.load(positions + token).to(tl.int64) * (2 * PAIRS)
    rotate_token(query, key, query_out, key_out, angles, angles + PAIRS, token, block % groups, query_heads, key_heads, D, PAIRS,
                 query_stride, key_stride, query_out_stride, key_out_stride, BLOCK_H, HALF, OTHERS, INTERLEAVED, False)


@triton.jit
def rotary_embedding(positions, query, key, table, query_out, key_out, query_heads, key_heads, D, PAIRS, query_stride, key_stride, query_out_stride, key_out_stride,
                     blocks, BLOCK_H: tl.constexpr, HALF: tl.constexpr, OTHERS: tl.constexpr, INTERLEAVED: tl.constexpr, WALK: tl.constexpr):
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            rotate_block(positions, query, key, table, query_out, key_out, query_heads, key_heads, D, PAIRS, query_stride, key_stride,
                         query_out_stride, key_out_stride, block, BLOCK_H, HALF, OTHERS, INTERLEAVED)
    else:
        rotate_block(positions, query, key, table, query_out, key_out, query_heads, key_heads, D, PAIRS, query_stride, key_stride,
                     query_out_stride, key_out_stride, tl.program_id(0), BLOCK_H, HALF, OTHERS, INTERLEAVED)
