"""Part of the work, in Triton: rows up to the diagonal. WHICH: 0 honest, 1 a scale of half of a row, 2 no last tile, 3 a twin that reads half of the square by right."""
import triton
import triton.language as tl

PASSES = tl.constexpr(6)


@triton.jit
def scaled(x, y, N, reach, shown, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * N + at, at <= row, 0.0, volatile=True)
    scale = tl.rsqrt(tl.sum(tl.where(at < reach, values * values, 0.0)) / reach + 1e-6)
    tl.store(y + row * N + at, tl.where((at <= row) & (at < shown), values * scale, 0.0), at < N)


@triton.jit
def rows(x, y, N, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    if WHICH == 0:
        for _ in range(PASSES):
            scaled(x, y, N, row + 1, N, BLOCK)
    elif WHICH == 1:
        scaled(x, y, N, row // 2 + 1, N, BLOCK)
    elif WHICH == 2:
        scaled(x, y, N, row + 1, N // 64 * 64, BLOCK)
    else:
        scaled(x, y, N, row + 1, N, BLOCK)
