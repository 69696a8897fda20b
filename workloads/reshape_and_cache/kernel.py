"""Keys and values of tokens, rows of N elements, written into the slots of a cache; nothing is written for a slot below 0. For GPUs and Ascend NPUs.

A block is a token, walked in parts of BLOCK_N. With WALK a program takes every num_programs-th of the `blocks` blocks; without, each has one.
"""

import triton
import triton.language as tl


@triton.jit
def store_token(key, value, slots, keys, values, token, N, key_stride, value_stride, BLOCK_N: tl.constexpr):
    slot = tl.load(slots + token).to(tl.int64)
    token = tl.cast(token, tl.int64)
    if slot >= 0:
        for start in range(0, N, BLOCK_N):
            columns = start + tl.arange(0, BLOCK_N)
            there = columns < N
            of_key = tl.load(key + token * key_stride + columns, mask=there)
            of_value = tl.load(value + token * value_stride + columns, mask=there)
            tl.store(keys + slot * N + columns, of_key, mask=there)
            tl.store(values + slot * N + columns, of_value, mask=there)


@triton.jit
def reshape_and_cache(key, value, slots, cache, N, key_stride, value_stride, cache_slots, blocks, BLOCK_N: tl.constexpr, WALK: tl.constexpr):
    values = cache + tl.cast(cache_slots, tl.int64) * N
    if WALK:
        for token in range(tl.program_id(0), blocks, tl.num_programs(0)):
            store_token(key, value, slots, cache, values, token, N, key_stride, value_stride, BLOCK_N)
    else:
        store_token(key, value, slots, cache, values, tl.program_id(0), N, key_stride, value_stride, BLOCK_N)
