"""Kernels of t-triton.c: one for each form of parameter, and some that do not compile."""

import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, s, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(y + at, tl.load(x + at, mask=at < n) * s, mask=at < n)


@triton.jit
def biased(x, bias, y, n, WIDTH: tl.constexpr, KIND: tl.constexpr, TYPE: tl.constexpr, HALVED: tl.constexpr, MASK: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    value = tl.load(x + at, mask=at < n).to(TYPE)
    if bias is not None:
        value += tl.load(bias + at, mask=at < n)
    tl.static_assert(KIND == "plain" and HALVED and MASK is None)
    tl.store(y + at, value, mask=at < n)


@triton.jit(do_not_specialize=["loose"], do_not_specialize_on_alignment=["unaligned"])
def forms(y, loose, unaligned, plain, wide: tl.int64, real: tl.float64, truth, WIDTH: tl.constexpr = 16):
    at = tl.arange(0, WIDTH)
    value = (loose + unaligned + plain + wide).to(tl.float64) + real
    tl.store(y + at, value.to(tl.float32), mask=truth)


@triton.jit
def copied(x, y, n, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    tl.store(y + row * WIDTH + tl.arange(0, WIDTH), tl.reshape(x.load([row, 0]), [WIDTH]))


@triton.jit
def described(x, y, rows, WIDTH: tl.constexpr):
    tile = tl.make_tensor_descriptor(x, shape=[rows, WIDTH], strides=[WIDTH, 1], block_shape=[16, WIDTH])
    result = tl.make_tensor_descriptor(y, shape=[rows, WIDTH], strides=[WIDTH, 1], block_shape=[16, WIDTH])
    first = tl.program_id(0) * 16
    result.store([first, 0], tile.load([first, 0]))


@triton.jit
def product(a, b, c, M, N, K, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    depth = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK, BLOCK], dtype=tl.float32)
    for k in range(0, K, BLOCK):
        left = tl.load(a + rows[:, None] * K + (k + depth)[None, :])
        right = tl.load(b + (k + depth)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


@triton.autotune(configs=[triton.Config({"WIDTH": 64})], key=["n"])
@triton.heuristics({"EVEN": lambda given: given["n"] % given["WIDTH"] == 0})
@triton.jit
def tuned(x, y, n, s, WIDTH: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(y + at, tl.load(x + at, mask=EVEN or at < n) * s, mask=at < n)


@triton.jit
def asserting(x, y, n, s, WIDTH: tl.constexpr):
    tl.static_assert(WIDTH == 1, "only one")


@triton.jit
def unknown(x, y, n, s, WIDTH: tl.constexpr):
    tl.store(y, no_such_name)


def plain(x):
    return x
