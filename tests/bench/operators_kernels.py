"""Kernels that tests/bench/operators launches itself: one fills the cache, one does nothing, one only moves what causal_softmax moves."""
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["value"])
def operators_flush(to, value, BLOCK: tl.constexpr):
    """Between two sides: what it writes, twice the cache, leaves none of their tensors there, and its record ends one side's records."""
    tl.store(to + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), value)


@triton.jit
def operators_empty(_):
    pass


@triton.jit
def operators_visible(x, out, COLUMNS: tl.constexpr):
    """Reads of row i the first i + 1 elements, and writes all: these and zeros."""
    row = tl.program_id(0)
    column = tl.arange(0, COLUMNS)
    tl.store(out + row * COLUMNS + column, tl.load(x + row * COLUMNS + column, mask=column <= row, other=0))
