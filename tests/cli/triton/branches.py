"""Kernels within `if` and `try`: one with types written as texts and a limit of registers, one defined twice, one with a value that no workload has."""

import triton
import triton.language as tl

try:
    if triton.Config:

        @triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, maxnreg=64)], key=["n"])
        @triton.jit
        def fill(x, n: "i64", s: "fp32", flag: tl.int1, k=0xFFFFFFFFFFFFFFFF, BLOCK: tl.constexpr = 64):
            tl.store(x + tl.arange(0, BLOCK), s, mask=tl.arange(0, BLOCK) < n)

except AttributeError:
    pass

if tl:

    @triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
    @triton.jit
    def zero(x, n, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)

else:

    @triton.autotune(configs=[triton.Config({"BLOCK": 128})], key=["n"])
    @triton.jit
    def zero(x, n, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)


@triton.autotune(configs=[triton.Config({"TILE": 64}), triton.Config({"TILE": (64, 32)})], key=["n"])
@triton.jit
def tiled(x, n, TILE: tl.constexpr):
    tl.store(x, n)


@triton.autotune(configs=[triton.Config({"TILE": 64}), triton.Config({"TILE": float("nan")})], key=["n"])
@triton.jit
def scaled(x, n, TILE: tl.constexpr):
    tl.store(x, n)
