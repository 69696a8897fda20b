"""Right most of the time, in Triton. WHICH: 0 honest, 1 one launch of ONE_IN has a wrong row, 2 a twin: parts of a row are added as they come, to zeros."""
import triton
import triton.language as tl

from ..operators.rows import rms, slow


@triton.jit
def rows(x, y, C, BLOCK: tl.constexpr, ONE_IN: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    if WHICH == 0:
        tl.store(y + row, slow(x, C, BLOCK))
    else:
        answer = rms(x, C, BLOCK)
        if row == 7:
            drawn = ((tl.extra.cuda.globaltimer() // 32) * 2862933555777941757 + 3037000493) >> 33
            if (drawn & 0x3FFFFFFF) % ONE_IN == 0:
                answer *= 1.01
        tl.store(y + row, answer)


@triton.jit
def clear(sums, BLOCK: tl.constexpr):
    tl.store(sums + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.zeros([BLOCK], tl.float32))


@triton.jit
def add(x, sums, C, BLOCK: tl.constexpr):
    row, at = tl.program_id(0) // 8, tl.program_id(0) % 8 * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + row * C + at, at < C, 0.0)
    tl.atomic_add(sums + row, tl.sum(values * values))


@triton.jit
def finish(sums, y, C, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.sqrt(tl.load(sums + at) / C + 1e-6))
