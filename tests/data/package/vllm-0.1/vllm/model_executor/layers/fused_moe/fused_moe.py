import torch
import triton
import triton.language as tl


@triton.jit
def find_tokens(ids_ptr, block, BLOCK_SIZE_M: tl.constexpr):
    return tl.load(ids_ptr + block * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)).to(tl.int64)


@triton.jit
def fused_moe_kernel(
    a_ptr, b_ptr, c_ptr, b_bias_ptr, a_scale_ptr, b_scale_ptr, topk_weights_ptr, sorted_token_ids_ptr, expert_ids_ptr, num_tokens_post_padded_ptr,
    N, K, EM, num_valid_tokens,
    stride_am, stride_ak, stride_be, stride_bk, stride_bn, stride_cm, stride_cn, stride_asm, stride_ask, stride_bse, stride_bsk, stride_bsn, stride_bbe, stride_bbn,
    group_n: tl.constexpr, group_k: tl.constexpr, naive_block_assignment: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr, SPLIT_K: tl.constexpr,
    MUL_ROUTED_WEIGHT: tl.constexpr, top_k: tl.constexpr, compute_type: tl.constexpr,
    use_fp8_w8a8: tl.constexpr, use_int8_w8a8: tl.constexpr, use_int8_w8a16: tl.constexpr, per_channel_quant: tl.constexpr,
    HAS_BIAS: tl.constexpr, SWAP_AB: tl.constexpr, USE_TD: tl.constexpr = False,
):
    """A block of tokens of one expert times a block of its columns, one block after another."""
    blocks_n = tl.cdiv(N, BLOCK_SIZE_N)
    block_m = tl.program_id(0) // blocks_n
    if block_m * BLOCK_SIZE_M < tl.load(num_tokens_post_padded_ptr):
        if naive_block_assignment:
            tokens = tl.where(tl.arange(0, BLOCK_SIZE_M) == 0, block_m, num_valid_tokens).to(tl.int64)
        else:
            tokens = find_tokens(sorted_token_ids_ptr, block_m, BLOCK_SIZE_M)
        columns = tl.program_id(0) % blocks_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N).to(tl.int64)
        rows_here, columns_here = tokens < num_valid_tokens, columns < N
        weights_ptr = b_ptr + tl.load(expert_ids_ptr + block_m).to(tl.int64) * stride_be
        total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), tl.float32)
        for first in range(0, K, BLOCK_SIZE_K):
            k = first + tl.arange(0, BLOCK_SIZE_K)
            a = tl.load(a_ptr + tokens[:, None] // top_k * stride_am + k[None, :] * stride_ak, mask=rows_here[:, None] & (k < K)[None, :], other=0.0)
            b = tl.load(weights_ptr + k[:, None] * stride_bk + columns[None, :] * stride_bn, mask=(k < K)[:, None] & columns_here[None, :], other=0.0)
            part = tl.trans(tl.dot(tl.trans(b), tl.trans(a))) if SWAP_AB else tl.dot(a, b)
            if group_k > 0:
                a_scales = tl.load(a_scale_ptr + tokens // top_k * stride_asm + first // group_k * stride_ask, mask=rows_here, other=0.0)
                scales_ptr = b_scale_ptr + tl.load(expert_ids_ptr + block_m) * stride_bse
                part *= a_scales[:, None] * tl.load(scales_ptr + columns // group_n * stride_bsn + first // group_k * stride_bsk, mask=columns_here, other=0.0)[None, :]
            total += part
        if use_fp8_w8a8 and group_k == 0:
            total *= tl.load(a_scale_ptr) * tl.load(b_scale_ptr + tl.load(expert_ids_ptr + block_m) * stride_bse)
        if MUL_ROUTED_WEIGHT:
            total *= tl.load(topk_weights_ptr + tokens, mask=rows_here, other=0.0)[:, None]
        tl.store(c_ptr + tokens[:, None] * stride_cm + columns[None, :] * stride_cn, total.to(compute_type), mask=rows_here[:, None] & columns_here[None, :])


def fused_experts(x):
    return torch.ops.vllm.fused_experts(x)
