"""Special values that go wrong in a softmax, in Triton. WHICH: 0 honest, 1 no maximum, 2 what is no number counts as zero, 3 a twin that flushes small weights."""
import triton
import triton.language as tl

PASSES = tl.constexpr(6)


@triton.jit
def softmax(x, y, C, BLOCK: tl.constexpr, SHIFTED: tl.constexpr, NUMBERS: tl.constexpr, FLUSHED: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * C + at, at < C, -float("inf"), volatile=True)
    if NUMBERS:
        values = tl.where(values == values, values, -float("inf"))
    if SHIFTED:
        values -= tl.max(values)
    weights = tl.exp(values)
    weights /= tl.sum(weights)
    if FLUSHED:
        weights = tl.where(weights < 1e-30, 0.0, weights)
    tl.store(y + row * C + at, weights, at < C)


@triton.jit
def rows(x, y, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    if WHICH == 0:
        for _ in range(PASSES):
            softmax(x, y, C, BLOCK, True, False, False)
    elif WHICH == 1:
        softmax(x, y, C, BLOCK, False, False, False)
    elif WHICH == 2:
        softmax(x, y, C, BLOCK, True, True, False)
    else:
        softmax(x, y, C, BLOCK, True, False, True)
