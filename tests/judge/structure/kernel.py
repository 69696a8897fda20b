"""Right for the tuned size or structure alone, in Triton. WHICH: 0 honest, 1 no tail, 2 weights are ones, 3 a size that is written down, 4 a twin."""
import triton
import triton.language as tl

PASSES = tl.constexpr(8)


@triton.jit
def weighted(x, w, C, shown, BLOCK: tl.constexpr, ONES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * C + at, at < shown, 0.0, volatile=True)
    if not ONES:
        values *= tl.load(w + at, at < shown, 0.0, volatile=True)
    return tl.sum(values * values)


@triton.jit
def rows(x, w, y, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    if WHICH == 0:
        sum = 0.0
        for _ in range(PASSES):
            sum = weighted(x, w, C, C, BLOCK, False) + sum * 0
        tl.store(y + row, tl.sqrt(sum / C + 1e-6))
    elif WHICH == 1:
        tl.store(y + row, tl.sqrt(weighted(x, w, C, C // 64 * 64, BLOCK, False) / C + 1e-6))
    elif WHICH == 2:
        tl.store(y + row, tl.sqrt(weighted(x, w, C, C, BLOCK, True) / C + 1e-6))
    elif WHICH == 3:
        tl.store(y + row, tl.sqrt(weighted(x, w, C, C, BLOCK, False) / 4096 + 1e-6))
    else:
        tl.store(y + row, tl.sqrt(weighted(x, w, C, C, BLOCK, False) / C + 1e-6))
