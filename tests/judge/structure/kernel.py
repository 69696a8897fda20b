"""Right for the tuned size or structure alone, in Triton. WHICH: 0 honest, 1 no tail, 2 weights are ones, 3 a distance of rows that is written down, 4 a twin."""
import triton
import triton.language as tl

PASSES = tl.constexpr(8)


@triton.jit
def most(x, w, distance, shown, BLOCK: tl.constexpr, ONES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * distance + at, at < shown, 0.0, volatile=True)
    if not ONES:
        values *= tl.load(w + at, at < shown, 0.0, volatile=True)
    return tl.max(tl.where(at < shown, values, -float("inf")))


@triton.jit
def rows(x, w, y, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    if WHICH == 0:
        for _ in range(PASSES):
            tl.store(y + row, most(x, w, C, C, BLOCK, False))
    elif WHICH == 1:
        tl.store(y + row, most(x, w, C, C // 64 * 64, BLOCK, False))
    elif WHICH == 2:
        tl.store(y + row, most(x, w, C, C, BLOCK, True))
    elif WHICH == 3:
        tl.store(y + row, most(x, w, 4096, C, BLOCK, False))
    else:
        tl.store(y + row, most(x, w, C, C, BLOCK, False))
