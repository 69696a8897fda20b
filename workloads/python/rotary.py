"""Rotation of the pairs of heads by angles: what Triton kernels for GPUs and Ascend NPUs share.

A block is BLOCK_H heads of a token, of the query or of the key. Of a head with D elements the first 2 PAIRS are rotated: element i of the first half
with element i of the second one, or neighbours where INTERLEAVED; the others are copied where OTHERS, a power of 2 not below their number, is not 0.
"""

import triton
import triton.language as tl


@triton.jit
def rotate_heads(x, out, first, heads, D, PAIRS, cosine, sine, cosine2, sine2, BLOCK_H: tl.constexpr, HALF: tl.constexpr, OTHERS: tl.constexpr, INTERLEAVED: tl.constexpr):
    rows = first + tl.arange(0, BLOCK_H)[:, None]
    pairs = tl.arange(0, HALF)[None, :]
    if INTERLEAVED:
        both = tl.arange(0, 2 * HALF)[None, :]
        there = (rows < heads) & (both < 2 * PAIRS)
        left, right = tl.split(tl.reshape(tl.load(x + rows * D + both, mask=there, other=0.0).to(tl.float32), [BLOCK_H, HALF, 2]))
        turned = tl.reshape(tl.join(left * cosine - right * sine, right * cosine2 + left * sine2), [BLOCK_H, 2 * HALF])
        tl.store(out + rows * D + both, turned.to(out.dtype.element_ty), mask=there)
    else:
        there = (rows < heads) & (pairs < PAIRS)
        left = tl.load(x + rows * D + pairs, mask=there, other=0.0).to(tl.float32)
        right = tl.load(x + rows * D + PAIRS + pairs, mask=there, other=0.0).to(tl.float32)
        tl.store(out + rows * D + pairs, (left * cosine - right * sine).to(out.dtype.element_ty), mask=there)
        tl.store(out + rows * D + PAIRS + pairs, (right * cosine2 + left * sine2).to(out.dtype.element_ty), mask=there)
    if OTHERS > 0:
        rest = 2 * PAIRS + tl.arange(0, OTHERS)[None, :]
        there = (rows < heads) & (rest < D)
        tl.store(out + rows * D + rest, tl.load(x + rows * D + rest, mask=there), mask=there)


@triton.jit
def rotate_token(query, key, query_out, key_out, cosines, sines, token, group, query_heads, key_heads, D, PAIRS,
                 query_stride, key_stride, query_out_stride, key_out_stride,
                 BLOCK_H: tl.constexpr, HALF: tl.constexpr, OTHERS: tl.constexpr, INTERLEAVED: tl.constexpr, FULL: tl.constexpr):
    """Rotates a group of heads of a token by the angles of a row; FULL: the row has those of second elements behind those of first ones. HALF is a power of 2."""
    pairs = tl.arange(0, HALF)[None, :]
    cosine = tl.load(cosines + pairs, mask=pairs < PAIRS, other=0.0).to(tl.float32)
    sine = tl.load(sines + pairs, mask=pairs < PAIRS, other=0.0).to(tl.float32)
    cosine2 = cosine
    sine2 = sine
    if FULL:
        cosine2 = tl.load(cosines + PAIRS + pairs, mask=pairs < PAIRS, other=0.0).to(tl.float32)
        sine2 = tl.load(sines + PAIRS + pairs, mask=pairs < PAIRS, other=0.0).to(tl.float32)
    query_groups = tl.cdiv(query_heads, BLOCK_H)
    if group < query_groups:
        rotate_heads(query + token * query_stride, query_out + token * query_out_stride, group * BLOCK_H, query_heads, D, PAIRS, cosine, sine, cosine2, sine2,
                     BLOCK_H, HALF, OTHERS, INTERLEAVED)
    else:
        rotate_heads(key + token * key_stride, key_out + token * key_out_stride, (group - query_groups) * BLOCK_H, key_heads, D, PAIRS, cosine, sine, cosine2, sine2,
                     BLOCK_H, HALF, OTHERS, INTERLEAVED)
