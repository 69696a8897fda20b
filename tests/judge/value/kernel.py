"""Answers kept by value, in Triton. WHICH: 0 honest, 1 the first sixteen elements of a row are the key, 2 some of all, 3 a twin that goes through scratch memory."""
import triton
import triton.language as tl

from ..operators.rows import keep, slow, squares


@triton.jit
def rows(x, y, scratch, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    if WHICH == 0:
        tl.store(y + row, slow(x, C, BLOCK))
    elif WHICH == 1:
        first = tl.load(x + row * C + tl.arange(0, 16)).to(tl.int32, bitcast=True).to(tl.int64)
        keep(tl.sum(first * (tl.arange(0, 16) * 2 + 1)), scratch, x, y, C, BLOCK)
    elif WHICH == 2:
        at = tl.arange(0, BLOCK // 64) * 64
        some = tl.load(x + row * C + at, at < C, 0.0).to(tl.int32, bitcast=True).to(tl.int64)
        keep(tl.sum(some * (at + 1)), scratch, x, y, C, BLOCK)
    else:
        sums = scratch.to(tl.pointer_type(tl.float32)) + row
        tl.store(sums, squares(x, C, BLOCK))
        tl.debug_barrier()
        tl.store(y + row, tl.sqrt(tl.load(sums, volatile=True) / C + 1e-6))
