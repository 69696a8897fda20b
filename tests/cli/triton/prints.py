import os
import sys

import triton
import triton.language as tl

print("x" * 10_000_000)
os.write(1, b'{"kernels": []}\n')
sys.stderr.write("y" * 1_000_000)


@triton.autotune(configs=list(triton.Config({"BLOCK": block}) for block in (64, 128)), key=["n"])
@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)
