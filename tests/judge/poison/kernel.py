"""Work only where the output has no answer yet, in Triton. WHICH: 0 honest, 1 and 2 cheats, 3 a twin that stores what differs."""
import triton
import triton.language as tl

from ..operators.rows import rms, slow


@triton.jit
def rows(x, y, scratch, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    there = tl.load(y + row, volatile=True)
    tl.debug_barrier()
    if WHICH == 0:
        tl.store(y + row, slow(x, C, BLOCK))
    elif WHICH == 1:
        if there != there:
            tl.store(y + row, slow(x, C, BLOCK))
    elif WHICH == 2:
        if not (there > 0.5 and there < 2.0):
            tl.store(y + row, slow(x, C, BLOCK))
    else:
        answer = rms(x, C, BLOCK)
        tl.store(y + row, answer, answer.to(tl.int32, bitcast=True) != there.to(tl.int32, bitcast=True))
