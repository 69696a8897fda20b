"""out = 2 x, as a kernel for an NPU would be: its twins are what runs."""
import triton
import triton.language as tl


@triton.jit
def twice(x, out, N, TILE, EXTRA):
    at = tl.program_id(0) * 16384 + tl.arange(0, 16384)
    tl.store(out + at, 2 * tl.load(x + at, mask=at < N), mask=at < N)
