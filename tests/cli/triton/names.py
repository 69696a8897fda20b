import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64, "multibuffer": True}), triton.Config({"BLOK": 128, "multibuffer": False})], key=["n"])
@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warp=4)], key=["n"])
@triton.jit
def zero(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)
