"""Softmax of scores [M, N], of which query i sees the first N - M + 1 + i; the others have the weight 0. For GPUs and Ascend NPUs."""

import triton
import triton.language as tl

from ..python.rows import softmax_rows


@triton.jit
def causal_softmax(x, out, M, N, x_matrix, x_stride, out_matrix, out_stride, blocks,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr, WALK: tl.constexpr):
    softmax_rows(x, out, M, N, x_matrix, x_stride, out_matrix, out_stride, blocks, BLOCK_M, BLOCK_N, WHOLE, True, WALK)
