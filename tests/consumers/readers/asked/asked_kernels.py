"""Kernels whose autotuners Triton's own cache is asked for, by reader_serves.py and by asctune."""
import triton
import triton.language as tl

CONFIGS = [triton.Config({"BLOCK": block}, num_warps=warps, num_stages=stages) for block in (32, 64, 128) for warps in (4, 8) for stages in (2, 3)]


def fitting(configs, named, **_):
    """The list depends on a size, and so does the digest of it."""
    return [config for config in configs if config.kwargs["BLOCK"] <= named["n"]]


@triton.autotune(CONFIGS, key=["n", "causal", "d"], prune_configs_by={"early_config_prune": fitting})
@triton.jit
def scale(x, y, n, d, causal: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * d, mask=i < n)


@triton.autotune(CONFIGS, key=["n", "causal", "d"])
@triton.jit
def other(x, y, n, d, causal: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * d + 1, mask=i < n)


@triton.autotune([triton.Config({"BLOCK": block, "UNROLL": unroll, "THREADS": 2}, num_warps=4, num_stages=3) for block in (64, 256) for unroll in (1, 2)],
                 key=["N"], cache_results=True)
@triton.jit
def axpy(x, y, out, N, BLOCK: tl.constexpr, UNROLL: tl.constexpr, THREADS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < N) * 3 + tl.load(y + i, mask=i < N), mask=i < N)
