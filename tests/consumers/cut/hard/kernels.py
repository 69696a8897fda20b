"""Kernels that name something of each kind."""

import collections
import enum
import math

import triton
import triton.language as tl
from triton.language.extra import libdevice

from . import ext, late
from .ext import halve as half
from .ext import scale as scale_of_ext

FACTOR = tl.constexpr(2.5)
KIND = tl.constexpr(tl.float32)
ENDLESS = tl.constexpr(float("inf"))
Pair = collections.namedtuple("Pair", ("first", "second"))
narrow = tl.bfloat16
cos = tl.cos  # under Triton's own name
STEPS = 4


class Mode(enum.Enum):
    PLAIN = 1
    DOUBLE = 2


class Sizes:
    """Constants of a class."""

    WIDTH = tl.constexpr(8)
    NARROW = tl.constexpr(WIDTH.value // 2)


constexpr_function = getattr(triton, "constexpr_function", None) or tl.constexpr_function  # since 3.6, before


@constexpr_function
def doubled(n):
    return math.floor(n * Mode.DOUBLE.value + Sizes.NARROW.value)


def plain(n):
    return n


@triton.jit
def scale(x):
    return x * FACTOR


@triton.jit
def helper(x, n: tl.constexpr = STEPS):
    for i in tl.static_range(n):
        x = scale(x) + libdevice.log1p(x) + i
    return x


@triton.jit
def halved(x):
    halve = x + 1  # a variable with the name of what `half` is
    return half(halve)


def repr_of(specialization):
    return "named_by_repr"


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit(do_not_specialize=["n"], repr=repr_of)
def everything(x_ptr: ext.Tensor, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    """With a text: "scale" stays as it is — also behind letters of two bytes: äöü."""
    rows, best = ext.program_id(0) * BLOCK + tl.arange(0, BLOCK), scale_of_ext(1.0)
    x = tl.load(x_ptr + rows, mask=rows < n, other=-ENDLESS)
    if EVEN:
        x = halved(helper(x))
    pair = Pair(n, 4)
    y = scale_of_ext(cos(x.to(KIND))) + ext.apart(n + 0.5) + pair.first * pair.second + doubled(4)
    y = ext.max(y, x) + max(1, 2) + late.shift(best + min(3, 2))
    tl.store(out_ptr + rows, y.to(narrow), mask=rows < n)


def closed(add, element):
    """A kernel in a closure, with a function and a type of its maker."""

    @triton.jit
    def inner(x_ptr, n, BLOCK: tl.constexpr):
        rows = tl.arange(0, BLOCK)
        tl.store(x_ptr + rows, add(tl.load(x_ptr + rows).to(element), n))

    return inner


@triton.jit
def plus(x, y):
    return x + y


@triton.jit
def minus(x, y):
    return x - y


inner_plus, inner_minus = closed(plus, tl.float16), closed(minus, tl.float32)


@triton.jit
def even(x, n: tl.constexpr):
    if n > 0:
        x = odd(x + 1, n - 1)
    return x


@triton.jit
def odd(x, n: tl.constexpr):
    if n > 0:
        x = even(x * 2, n - 1)
    return x


@triton.jit
def mutual(x_ptr, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    tl.store(x_ptr + rows, even(tl.load(x_ptr + rows), 3) + n)


not_here = ext.Tensor()


@triton.jit
def refused(x_ptr, n, BLOCK: tl.constexpr):
    tl.store(x_ptr, not_here)
