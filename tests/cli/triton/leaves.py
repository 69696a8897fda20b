import os
import sys
import time

import triton
import triton.language as tl

sys.exit("enough")


@triton.autotune(configs=list(triton.Config({"BLOCK": block}) for block in (64, 128)), key=["n"])
@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)
