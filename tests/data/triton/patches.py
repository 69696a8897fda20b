"""Changes what Triton makes of every kernel that is compiled in this process."""

import triton
import triton.language as tl
from triton.backends.nvidia.compiler import CUDABackend

make_ptx = CUDABackend.make_ptx


def make_other(self, *args):
    return make_ptx(self, *args).replace("mul.f32", "add.f32")


CUDABackend.make_ptx = make_other


@triton.jit
def scale(x, y, n, s, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(y + at, tl.load(x + at, mask=at < n) * s, mask=at < n)
