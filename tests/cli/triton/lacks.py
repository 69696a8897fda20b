import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config(num_warps=4)], key=["n"])
@triton.jit
def bare(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)
