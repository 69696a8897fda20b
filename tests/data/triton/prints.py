import sys

import triton
import triton.language as tl

print('{"event":"compiled","outcome":"built"}\n' * 30000)
print("x" * 1000000, file=sys.stderr)


@triton.jit
def scale(x, y, n, s, WIDTH: tl.constexpr):
    tl.store(y, 1.0)
