"""Inputs marked to stay in the cache, in Triton. WHICH: 0 honest, 1 a cheat that reads all twice and keeps it, 2 a twin that marks what it reads once."""
import triton
import triton.language as tl


@triton.jit
def squares(x, C, BLOCK: tl.constexpr, POLICY: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * C + at, at < C, 0.0, eviction_policy=POLICY, volatile=POLICY == "")
    return tl.sum(row * row)


@triton.jit
def rows(x, y, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    if WHICH == 0:
        tl.store(y + row, tl.sqrt(squares(x, C, BLOCK, "") / C + 1e-6))
    elif WHICH == 1:
        sum = squares(x, C, BLOCK, "evict_last")
        tl.debug_barrier()
        sum += squares(x, C, BLOCK, "")
        tl.store(y + row, tl.sqrt(sum / (2 * C) + 1e-6))
    else:
        tl.store(y + row, tl.sqrt(squares(x, C, BLOCK, "evict_last") / C + 1e-6))
