"""Root-mean-square normalisation of rows, out = x / sqrt(mean(x^2) + epsilon) weight, for GPUs and Ascend NPUs."""

import triton
import triton.language as tl

from ..python.rows import norm_rows, root_mean_square


@triton.jit
def rms_norm(x, weight, out, M, N, x_matrix, x_stride, out_matrix, out_stride, epsilon, blocks,
             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr, WALK: tl.constexpr):
    norm_rows(root_mean_square, x, None, None, weight, out, M, N, x_matrix, x_stride, out_matrix, out_stride, epsilon, blocks, BLOCK_M, BLOCK_N, WHOLE, WALK)
