"""The output left as it is found, in Triton: rows up to the diagonal. WHICH: 0 honest, 1 writes nothing, 2 zeros where there are none yet, 3 a twin that writes them without reading."""
import triton
import triton.language as tl

from ..part.kernel import rows as honest


@triton.jit
def rows(x, y, N, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    if WHICH == 0:
        honest(x, y, N, BLOCK, 0)
    elif WHICH > 1:
        values = tl.load(x + row * N + at, at <= row, 0.0)
        scale = tl.rsqrt(tl.sum(values * values) / (row + 1) + 1e-6)
        shown = at < N
        if WHICH == 2:
            shown = (at <= row) | (shown & (tl.load(y + row * N + tl.arange(0, BLOCK) * 0 + N - 1) != 0))
        tl.store(y + row * N + at, values * scale, shown)
