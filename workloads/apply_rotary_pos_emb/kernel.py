"""Rotation of query and key, [tokens, heads, D], by cosines and sines that were gathered before, [tokens, D] each. For GPUs and Ascend NPUs.

Outputs may be the inputs' memory. With WALK a program takes every num_programs-th of the `blocks` blocks (python/rotary.py); without, each has one.
"""

import triton
import triton.language as tl

from ..python.rotary import rotate_token


@triton.jit
def rotate_block(query, key, cosines, sines, query_out, key_out, query_heads, key_heads, D, PAIRS, query_stride, key_stride, query_out_stride, key_out_stride, block,
                 BLOCK_H: tl.constexpr, HALF: tl.constexpr):
    groups = tl.cdiv(query_heads, BLOCK_H) + tl.cdiv(key_heads, BLOCK_H)
    token = tl.cast(block // groups, tl.int64)
    rotate_token(query, key, query_out, key_out, cosines + token * D, sines + token * D, token, block % groups, query_heads, key_heads, D, PAIRS,
                 query_stride, key_stride, query_out_stride, key_out_stride, BLOCK_H, HALF, 0, False, True)


@triton.jit
def apply_rotary_pos_emb(query, key, cosines, sines, query_out, key_out, query_heads, key_heads, D, PAIRS, query_stride, key_stride, query_out_stride, key_out_stride,
                         blocks, BLOCK_H: tl.constexpr, HALF: tl.constexpr, WALK: tl.constexpr):
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            rotate_block(query, key, cosines, sines, query_out, key_out, query_heads, key_heads, D, PAIRS, query_stride, key_stride,
                         query_out_stride, key_out_stride, block, BLOCK_H, HALF)
    else:
        rotate_block(query, key, cosines, sines, query_out, key_out, query_heads, key_heads, D, PAIRS, query_stride, key_stride,
                     query_out_stride, key_out_stride, tl.program_id(0), BLOCK_H, HALF)
