"""Faster than the input can be read, in Triton: its rows are all alike. WHICH: 0 honest, 1 reads nothing, 2 a twin that reads all."""
import triton
import triton.language as tl

from ..operators.rows import rms, slow


@triton.jit
def rows(x, y, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    if WHICH == 0:
        tl.store(y + tl.program_id(0), slow(x, C, BLOCK))
    elif WHICH == 1:
        tl.store(y + tl.program_id(0), 1.0)
    else:
        tl.store(y + tl.program_id(0), rms(x, C, BLOCK))
