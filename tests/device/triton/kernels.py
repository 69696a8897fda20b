"""y = 2 x + bias + big % 1000 over [rows, WIDTH], in every form in which Triton passes a parameter."""

import triton
import triton.language as tl


@triton.jit
def pointers(x, bias, y, rows, big, factor, WIDTH: tl.constexpr, KIND: tl.constexpr, HALVED: tl.constexpr, UNUSED: tl.constexpr, TYPE: tl.constexpr):
    tl.static_assert(KIND == "rows" and not HALVED and UNUSED is None)
    columns = tl.arange(0, WIDTH)
    at = tl.program_id(0) * WIDTH + columns
    inside = at < rows * WIDTH
    value = tl.load(x + at, mask=inside).to(TYPE) * factor
    if bias is not None:
        value += tl.load(bias + columns)
    value += (tl.cast(big, tl.int64) % 1000).to(TYPE)
    tl.store(y + at, value, mask=inside)


@triton.jit
def copied(x, y, rows, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(y + at, tl.load(x + at, mask=at < rows * WIDTH), mask=at < rows * WIDTH)


@triton.jit(do_not_specialize=["rows"], do_not_specialize_on_alignment=["x"])
def written(x, bias, y, rows: tl.int64, big: tl.int64, factor: tl.float64, biased, WIDTH: tl.constexpr):
    columns = tl.arange(0, WIDTH)
    at = tl.program_id(0) * WIDTH + columns
    inside = at < rows * WIDTH
    value = tl.load(x + at, mask=inside).to(tl.float32) * factor.to(tl.float32)
    if bias is not None:
        value += tl.load(bias + columns, mask=biased & (columns >= 0), other=1000.0)
    value += (big % 1000).to(tl.float32)
    tl.store(y + at, value, mask=inside)


@triton.jit
def descriptors(x, bias, y, big, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    first = tl.program_id(0) * ROWS
    value = x.load([first, 0]).to(tl.float32) * 2
    if bias is not None:
        value += tl.load(bias + tl.arange(0, WIDTH))[None, :]
    y.store([first, 0], value + (tl.cast(big, tl.int64) % 1000).to(tl.float32))


@triton.jit
def scratch(x, bias, y, rows, big, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    tile = tl.make_tensor_descriptor(x, shape=[rows, WIDTH], strides=[WIDTH, 1], block_shape=[ROWS, WIDTH])
    result = tl.make_tensor_descriptor(y, shape=[rows, WIDTH], strides=[WIDTH, 1], block_shape=[ROWS, WIDTH])
    first = tl.program_id(0) * ROWS
    value = tile.load([first, 0]).to(tl.float32) * 2
    if bias is not None:
        value += tl.load(bias + tl.arange(0, WIDTH))[None, :]
    result.store([first, 0], value + (tl.cast(big, tl.int64) % 1000).to(tl.float32))


@triton.jit
def cluster(x, bias, y, rows, big, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    at = tl.program_id(0) * ROWS * WIDTH + tl.arange(0, ROWS * WIDTH)
    inside = at < rows * WIDTH
    value = tl.load(x + at, mask=inside).to(tl.float32) * 2
    if bias is not None:
        value += tl.load(bias + at % WIDTH)
    tl.store(y + at, value + (tl.cast(big, tl.int64) % 1000).to(tl.float32), mask=inside)
