import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": block}) for block in 64], key=["n"])
@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)
