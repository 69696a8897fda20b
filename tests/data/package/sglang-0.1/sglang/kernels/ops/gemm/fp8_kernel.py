import torch
import triton
import triton.language as tl


@triton.jit
def _w8a8_block_fp8_matmul(
    A, B, C, As, Bs,
    M, N, K, group_n, group_k,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn, stride_As_m, stride_As_k, stride_Bs_k, stride_Bs_n,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr, needs_masking: tl.constexpr,
):
    """A block of the product after another, each step along K with its scales."""
    blocks_n = tl.cdiv(N, BLOCK_SIZE_N)
    rows = tl.program_id(0) // blocks_n * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    columns = tl.program_id(0) % blocks_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), tl.float32)
    for first in range(0, K, BLOCK_SIZE_K):
        k = first + tl.arange(0, BLOCK_SIZE_K)
        a = tl.load(A + rows[:, None] * stride_am + k[None, :] * stride_ak, mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0)
        b = tl.load(B + k[:, None] * stride_bk + columns[None, :] * stride_bn, mask=(k < K)[:, None] & (columns < N)[None, :], other=0.0)
        a_scales = tl.load(As + rows * stride_As_m + first // group_k * stride_As_k, mask=rows < M, other=0.0)
        b_scales = tl.load(Bs + columns // group_n * stride_Bs_n + first // group_k * stride_Bs_k, mask=columns < N, other=0.0)
        total += tl.dot(a, b) * a_scales[:, None] * b_scales[None, :]
    tl.store(C + rows[:, None] * stride_cm + columns[None, :] * stride_cn, total.to(C.dtype.element_ty), mask=(rows < M)[:, None] & (columns < N)[None, :])
