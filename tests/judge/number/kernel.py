"""Answers kept by launch number, in Triton. WHICH: 0 honest, 1 computes in eight launches and then no more, 2 in every second one, 3 a twin that computes in each."""
import triton
import triton.language as tl

from ..operators.rows import rms, slow


@triton.jit
def rows(x, y, scratch, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    if WHICH == 0:
        tl.store(y + row, slow(x, C, BLOCK))
    elif WHICH == 3:
        tl.store(y + row, rms(x, C, BLOCK))
    else:
        count = scratch.to(tl.pointer_type(tl.int32)) + 2 * row
        kept = scratch.to(tl.pointer_type(tl.float32)) + 2 * row + 1
        launch = tl.load(count, volatile=True)
        tl.debug_barrier()
        if launch < 0 or launch > 1000000000:  # what lay there is no count
            launch = 0
        tl.store(count, launch + 1)
        if (launch < 8) if WHICH == 1 else (launch % 2 == 0):
            answer = slow(x, C, BLOCK)
            tl.store(y + row, answer)
            tl.store(kept, answer)
        else:
            tl.store(y + row, tl.load(kept, volatile=True))
