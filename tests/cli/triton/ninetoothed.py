"""A product as ninetoothed generates it, with the twin for NPUs."""

import triton
import triton.language as tl


@triton.autotune(
    configs=(
        triton.Config({"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 32}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 64}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 128}, num_warps=8, num_stages=3),
    ),
    key=(
        "ninetoothed_constexpr_prefix_tensor_0_size_1_next_power_of_2",
        "ninetoothed_tensor_0_stride_0",
        "ninetoothed_constexpr_prefix_tensor_0_size_1",
        "ninetoothed_tensor_0_size_0",
        "ninetoothed_tensor_1_size_1",
    ),
)
@triton.jit
def application(
    ninetoothed_tensor_0_pointer,
    ninetoothed_tensor_0_size_0,
    ninetoothed_tensor_0_stride_0,
    ninetoothed_tensor_1_pointer,
    ninetoothed_tensor_1_size_1,
    ninetoothed_constexpr_prefix_tensor_0_size_1: tl.constexpr,
    ninetoothed_constexpr_prefix_tensor_0_size_1_next_power_of_2: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
):
    offsets = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    pointers = ninetoothed_tensor_0_pointer + offsets[:, None] * ninetoothed_tensor_0_stride_0 + tl.arange(0, BLOCK_SIZE_N)[None, :]
    loaded = tl.load(pointers, mask=offsets[:, None] < ninetoothed_tensor_0_size_0, other=None)
    tl.store(ninetoothed_tensor_1_pointer + offsets[:, None] * ninetoothed_tensor_1_size_1, loaded)


@triton.autotune(
    configs=(
        triton.Config({"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 64}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 64}, num_warps=8, num_stages=3),
    ),
    key=("ninetoothed_tensor_0_size_0",),
)
@triton.jit
def application_npu(
    ninetoothed_tensor_0_pointer,
    ninetoothed_tensor_0_size_0,
    ninetoothed_tensor_0_stride_0,
    ninetoothed_tensor_1_pointer,
    ninetoothed_tensor_1_size_1,
    ninetoothed_constexpr_prefix_tensor_0_size_1: tl.constexpr,
    ninetoothed_constexpr_prefix_tensor_0_size_1_next_power_of_2: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
):
    offsets = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    pointers = ninetoothed_tensor_0_pointer + offsets[:, None] * ninetoothed_tensor_0_stride_0 + tl.arange(0, BLOCK_SIZE_N)[None, :]
    loaded = tl.load(pointers, mask=offsets[:, None] < ninetoothed_tensor_0_size_0, other=0.0)
    tl.store(ninetoothed_tensor_1_pointer + offsets[:, None] * ninetoothed_tensor_1_size_1, loaded)
