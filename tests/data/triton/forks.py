import os
import time

import triton
import triton.language as tl

if os.fork() == 0:
    time.sleep(0.2)


@triton.jit
def scale(x, y, n, s, WIDTH: tl.constexpr):
    tl.store(y, 1.0)
