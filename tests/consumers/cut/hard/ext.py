"""Functions that kernels call by the module's name, and one that has another function's name."""

import triton
import triton.language as tl
from triton.language.extra import libdevice as other_libdevice

UNROLL = tl.constexpr(2)


class Tensor:
    """A type of the host's, of which an annotation tells."""

    __slots__ = ()


@triton.jit
def program_id(axis: int) -> tl.tensor:
    return tl.program_id(axis).to(tl.int64)


@triton.jit
def scale(x):  # `scale` of kernels.py is another one
    return x * UNROLL * 3


@triton.jit
def halve(x):
    return x / 2


@triton.jit
def max(x, y):
    """Has the name of a builtin."""
    return tl.where(x > y, x, y)


@triton.jit(noinline=True)
def apart(x):
    return other_libdevice.exp2(x)
