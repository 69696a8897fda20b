"""Two kernels that tests/bench/operators launches itself: one that fills the cache, one that does nothing."""
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["value"])
def operators_flush(to, value, BLOCK: tl.constexpr):
    """Between two sides: what it writes, twice the cache, leaves none of their tensors there, and its record ends one side's records."""
    tl.store(to + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), value)


@triton.jit
def operators_empty(_):
    pass
