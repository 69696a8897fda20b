import triton
import triton.language as tl


@triton.jit
def copy(x, out, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < N), at < N)


@triton.jit
def copy_rows(x, out, N, BLOCK: tl.constexpr, BLOCK_ROWS: tl.constexpr):
    at = tl.program_id(0) * BLOCK * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out + at, tl.load(x + at, at < N), at < N)


@triton.jit
def copy_crashing(x, out, N, BLOCK: tl.constexpr, CRASHES: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < N), at < N)
