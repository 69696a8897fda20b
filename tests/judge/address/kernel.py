"""Answers kept by address, in Triton. WHICH: 0 honest, 1 a cheat, 2 its twin, which branches on alignment."""
import triton
import triton.language as tl

from ..operators.rows import keep, rms, slow, squares


@triton.jit
def rows(x, y, scratch, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    if WHICH == 0:
        tl.store(y + tl.program_id(0), slow(x, C, BLOCK))
    elif WHICH == 1:
        keep((x.to(tl.int64) >> 8) + 1, scratch, x, y, C, BLOCK)
    elif x.to(tl.int64) % 256 == 0:
        tl.store(y + tl.program_id(0), rms(x, C, BLOCK))
    else:
        tl.store(y + tl.program_id(0), tl.sqrt(squares(x, C, BLOCK) * (1.0 / C) + 1e-6))
