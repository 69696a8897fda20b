import torch

from served import _C
from served import missing_part
from served import parts
from served.cache import autotune_cache_kwargs, fla_cache_autotune
from served.layers import numerics as nu
from served.layers.numerics import HAS_TENSOR_CORES, logged, scale as scaled
from served.triton_utils import LOG2E, tl, triton

SPLITS = tl.constexpr(2)


def scale(x):
    """Has the name of another file's."""
    return torch.compile(x)


@triton.jit
def write_zeros(out_ptr, offsets, mask):
    tl.store(out_ptr + offsets, tl.zeros_like(offsets).to(tl.float32), mask=mask)


@triton.jit
def fused_kernel(
    # Pointers
    a_ptr,
    out_ptr,
    # Sizes
    N,
    num_tokens,
    stride_am,
    # What is tuned, and what a launch says
    BLOCK_SIZE_M: tl.constexpr,
    SPLIT_K: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    EVEN: tl.constexpr = False,
):
    offsets = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    mask = offsets < N * SPLIT_K
    if num_tokens == 0:
        write_zeros(out_ptr, offsets, mask)
        return
    x = tl.load(a_ptr + offsets * stride_am, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, scaled(x) * LOG2E + nu.exp(x) * SPLITS, mask=mask)


def fused(a, out, config):
    fused_kernel[lambda meta: (triton.cdiv(a.shape[0], meta["BLOCK_SIZE_M"]),)](a, out, a.shape[0], 1, 1, HAS_BIAS=False, **config)


@triton.autotune([triton.Config({"BLOCK_SIZE_M": block}) for block in (64, 128)], key=["N"], **autotune_cache_kwargs)
@logged
@triton.jit
def tuned_kernel(a_ptr, N, BLOCK_SIZE_M: tl.constexpr):
    write_zeros(a_ptr, tl.arange(0, BLOCK_SIZE_M), N)


@fla_cache_autotune([triton.Config({"BLOCK_SIZE_M": 64}, num_warps=warps) for warps in (2, 4, 8)], ["N"])
@triton.jit
def cached_kernel(a_ptr, N, BLOCK_SIZE_M: tl.constexpr):
    tl.store(a_ptr + tl.arange(0, BLOCK_SIZE_M), parts.PART, mask=tl.arange(0, BLOCK_SIZE_M) < N)


@triton.jit
def computed_kernel(a_ptr, BLOCK_SIZE_M: tl.constexpr):
    tl.store(a_ptr, HAS_TENSOR_CORES)


@triton.jit
def called_kernel(a_ptr, BLOCK_SIZE_M: tl.constexpr):
    tl.store(a_ptr, nu.LANES)


@triton.jit
def extended_kernel(a_ptr, BLOCK_SIZE_M: tl.constexpr):
    tl.store(a_ptr, _C.VALUE)


@triton.jit
def lacking_kernel(a_ptr, BLOCK_SIZE_M: tl.constexpr):
    tl.store(a_ptr, missing_part.VALUE)


@triton.jit
def twice_kernel(a_ptr):
    tl.store(a_ptr, 1)


@triton.jit
def twice_kernel(a_ptr):
    tl.store(a_ptr, 2)
