"""Descriptors that the host makes, one of them used by a function, beside one that the kernel makes of an address."""

import triton
import triton.language as tl


@triton.jit
def put(where, row, tile):
    where.store([row, 0], tile)


@triton.autotune(configs=[triton.Config({"ROWS": 64, "COLUMNS": 32})], key=["M", "N"])
@triton.jit
def copy(x, y, z, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    own = tl.make_tensor_descriptor(z, shape=[M, N], strides=[N, 1], block_shape=[ROWS, COLUMNS])
    tile = x.load([tl.program_id(0) * ROWS, 0])
    put(y, tl.program_id(0) * ROWS, tile)
    put(own, tl.program_id(0) * ROWS, tile)
