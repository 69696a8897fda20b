"""A kernel with the autotuner of a training library: comprehensions, addresses in capitals, a function that does the work. It needs torch to be imported."""

import torch
import triton
import triton.language as tl

STAGES = (1, 2)


@triton.jit
def scale_row(Y_ptr, X_ptr, at, n, alpha):
    x = tl.load(X_ptr + at, mask=at < n)
    tl.store(Y_ptr + at, x * alpha, mask=at < n)
    tl.atomic_add(Y_ptr, 1)


@triton.jit
def plain(X_ptr, N, BLOCK_N: tl.constexpr):
    tl.store(X_ptr, N)


@triton.autotune(
    [triton.Config({"BLOCK_N": block}, num_warps=warps, num_stages=stages) for block in (1024, 2048, 4096) for warps in (4, 8) for stages in STAGES
     if not (block == 4096 and warps == 4)],
    key=["N"], reset_to_zero=["DG_ptr"],
)
@triton.heuristics({"HAVE_BETA": lambda args: args["BETA_ptr"] is not None, "EVEN_N": lambda args: args["N"] % args["BLOCK_N"] == 0})
@triton.jit
def _dyt_forward(X_ptr, X_row_stride, GAMMA_ptr, BETA_ptr, DG_ptr, Y_ptr, N, alpha: float = 0.5, HAVE_BETA: tl.constexpr = True, EVEN_N: tl.constexpr = False,
                 KIND: tl.constexpr = "tanh", BLOCK_N: tl.constexpr = 1024):
    row = tl.program_id(0)
    X_ptr += row * X_row_stride
    at = tl.arange(0, BLOCK_N)
    gamma = tl.load(GAMMA_ptr + at, mask=at < N)
    if HAVE_BETA:
        beta = tl.load(BETA_ptr + at, mask=at < N)
    tl.atomic_add(DG_ptr + at, gamma)
    scale_row(Y_ptr, X_ptr, at, N, alpha)
