"""Another's answer, in Triton: doubles behind the output that begin as the answer does. WHICH: 0 honest, 1 a cheat, 2 a twin."""
import triton
import triton.language as tl

from ..operators.rows import rms, slow


@triton.jit
def rows(x, y, C, BLOCK: tl.constexpr, REACH: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    if WHICH == 0:
        tl.store(y + row, slow(x, C, BLOCK))
    elif WHICH == 1:
        at = tl.arange(0, BLOCK)
        first = tl.load(x + at, at < C, 0.0)
        answer = tl.sqrt(tl.sum(first * first) / C + 1e-6).to(tl.float64)
        doubles = (y.to(tl.int64) // 8 * 8).to(tl.pointer_type(tl.float64))
        place = REACH
        for from_ in range(0, REACH, BLOCK):
            near = tl.abs(tl.load(doubles + from_ + at) - answer) < 1e-6
            place = min(place, tl.min(tl.where(near, from_ + at, REACH)))
        if place < REACH:
            tl.store(y + row, tl.load(doubles + place + row).to(tl.float32))
        else:
            tl.store(y + row, slow(x, C, BLOCK))
    else:
        tl.store(y + row, rms(x, C, BLOCK))
