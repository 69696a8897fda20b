"""Up to four matrices side by side, for GPUs and Ascend NPUs: tensors joined along an axis, whose sizes before the axis count rows and the others columns.

A block is BLOCK_M rows by BLOCK_SIZE columns of one matrix, walked in parts of BLOCK_SIZE_SUB: only a part has to fit on chip. An absent tensor is None.
"""

import triton
import triton.language as tl

from ..python.rows import copy_tile


@triton.jit
def copy_part(x, out, rows, part, M, N, x_stride, out_stride, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr):
    """Copies part number `part` of the columns of x, where it has one."""
    if x is not None:
        if (part >= 0) & (part < tl.cdiv(N, BLOCK_SIZE)):
            copy_tile(x, out, rows, part * BLOCK_SIZE, M, N, x_stride, out_stride, BLOCK_SIZE, BLOCK_SIZE_SUB)


@triton.jit
def copy_block(a, b, c, d, out, block, M, N_A, N_B, N_C, N_D, a_stride, b_stride, c_stride, d_stride, out_stride,
               BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr):
    first_b = tl.cdiv(N_A, BLOCK_SIZE)
    first_c = first_b + tl.cdiv(N_B, BLOCK_SIZE)
    first_d = first_c + tl.cdiv(N_C, BLOCK_SIZE)
    parts = first_d + tl.cdiv(N_D, BLOCK_SIZE)
    rows = (block // parts * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]).to(tl.int64)
    part = block % parts
    copy_part(a, out, rows, part, M, N_A, a_stride, out_stride, BLOCK_SIZE, BLOCK_SIZE_SUB)
    copy_part(b, out + N_A, rows, part - first_b, M, N_B, b_stride, out_stride, BLOCK_SIZE, BLOCK_SIZE_SUB)
    copy_part(c, out + N_A + N_B, rows, part - first_c, M, N_C, c_stride, out_stride, BLOCK_SIZE, BLOCK_SIZE_SUB)
    copy_part(d, out + N_A + N_B + N_C, rows, part - first_d, M, N_D, d_stride, out_stride, BLOCK_SIZE, BLOCK_SIZE_SUB)


@triton.jit
def cat(a, b, c, d, out, M, N_A, N_B, N_C, N_D, a_stride, b_stride, c_stride, d_stride, out_stride, blocks,
        BLOCK_M: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_SIZE_SUB: tl.constexpr, WALK: tl.constexpr):
    if WALK:
        for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
            copy_block(a, b, c, d, out, block, M, N_A, N_B, N_C, N_D, a_stride, b_stride, c_stride, d_stride, out_stride, BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB)
    else:
        copy_block(a, b, c, d, out, tl.program_id(0), M, N_A, N_B, N_C, N_D, a_stride, b_stride, c_stride, d_stride, out_stride,
                   BLOCK_M, BLOCK_SIZE, BLOCK_SIZE_SUB)
