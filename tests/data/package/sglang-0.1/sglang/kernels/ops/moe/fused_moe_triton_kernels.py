import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, swap_ab: tl.constexpr):
    return tl.trans(tl.dot(tl.trans(b), tl.trans(a))) if swap_ab else tl.dot(a, b)


@triton.jit
def fused_moe_kernel(
    a_ptr, a_desc, b_ptr, b_desc, bias_ptr, c_ptr, a_scale_ptr, b_scale_ptr, topk_weights_ptr, sorted_token_ids_ptr, expert_ids_ptr, num_tokens_post_padded_ptr, add_mask_ptr,
    N, K, EM, num_valid_tokens,
    stride_am, stride_ak, stride_be, stride_bk, stride_bn, stride_bias_e, stride_bias_n, stride_cm, stride_cn, stride_asm, stride_ask, stride_bse, stride_bsk, stride_bsn,
    group_n: tl.constexpr, group_k: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr,
    MUL_ROUTED_WEIGHT: tl.constexpr, top_k: tl.constexpr, compute_type: tl.constexpr,
    use_fp8_w8a8: tl.constexpr, use_int8_w8a8: tl.constexpr, use_int8_w8a16: tl.constexpr, per_channel_quant: tl.constexpr,
    even_Ks: tl.constexpr, c_sorted: tl.constexpr, swap_ab: tl.constexpr, FUSE_ADD_TO_OUTPUT: tl.constexpr, MASK_OUTPUT: tl.constexpr,
    FUSE_SUM_ALL_REDUCE: tl.constexpr, ROUTER_TOPK: tl.constexpr, FUSE_SWIGLU: tl.constexpr = False, USE_GDC: tl.constexpr = False, GDC_EARLY: tl.constexpr = False,
    A_OUTPUT_SLICES: tl.constexpr = 1, A_OUTPUT_SLICE_WIDTH: tl.constexpr = 0, A_OUTPUT_SLICE_K: tl.constexpr = 0,
):
    """A block of columns after another of one expert's tokens; experts of each block stand in their tensor, what is behind the last token does nothing."""
    block_m = tl.program_id(0) % tl.cdiv(EM, BLOCK_SIZE_M)
    columns = tl.program_id(0) // tl.cdiv(EM, BLOCK_SIZE_M) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N).to(tl.int64)
    if block_m * BLOCK_SIZE_M >= tl.load(num_tokens_post_padded_ptr):
        return
    pairs = tl.load(sorted_token_ids_ptr + block_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)).to(tl.int64)
    expert = tl.load(expert_ids_ptr + block_m).to(tl.int64)
    there, inside = pairs < num_valid_tokens, columns < N
    total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), tl.float32)
    for first in range(0, K, BLOCK_SIZE_K):
        k = first + tl.arange(0, BLOCK_SIZE_K)
        left = k < K
        if even_Ks:
            left = k >= 0
        a = tl.load(a_ptr + (pairs // top_k * stride_am)[:, None] + (k * stride_ak)[None, :], mask=there[:, None] & left[None, :], other=0.0)
        b = tl.load(b_ptr + expert * stride_be + (k * stride_bk)[:, None] + (columns * stride_bn)[None, :], mask=left[:, None] & inside[None, :], other=0.0)
        if group_k > 0:
            of_a = tl.load(a_scale_ptr + pairs // top_k * stride_asm + first // group_k * stride_ask, mask=there, other=0.0)
            of_b = tl.load(b_scale_ptr + expert * stride_bse + columns // group_n * stride_bsn + first // group_k * stride_bsk, mask=inside, other=0.0)
            total += multiply(a, b, swap_ab) * of_a[:, None] * of_b[None, :]
        else:
            total += multiply(a, b, swap_ab)
    if use_fp8_w8a8 and group_k == 0:
        total *= tl.load(a_scale_ptr) * tl.load(b_scale_ptr + expert)
    if MUL_ROUTED_WEIGHT:
        total *= tl.load(topk_weights_ptr + pairs, mask=there, other=0.0)[:, None]
    tl.store(c_ptr + (pairs * stride_cm)[:, None] + (columns * stride_cn)[None, :], total.to(compute_type), mask=there[:, None] & inside[None, :])


def invoke_fused_moe_kernel(x):
    return torch.ops.sglang.fused_experts(x)
