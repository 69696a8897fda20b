"""Sum of rows and its root-mean-square normalisation, x_out = x1 + x2, y_out = x_out / sqrt(mean(x_out^2) + epsilon) weight, for GPUs and Ascend NPUs."""

import triton
import triton.language as tl

from ..python.rows import norm_rows, root_mean_square


@triton.jit
def add_rms_norm(x1, x2, weight, y_out, x_out, M, N, x_matrix, x_stride, out_matrix, out_stride, epsilon, blocks,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WHOLE: tl.constexpr, WALK: tl.constexpr):
    norm_rows(root_mean_square, x1, x2, x_out, weight, y_out, M, N, x_matrix, x_stride, out_matrix, out_stride, epsilon, blocks, BLOCK_M, BLOCK_N, WHOLE, WALK)
