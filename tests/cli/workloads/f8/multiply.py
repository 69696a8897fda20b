import triton
import triton.language as tl


@triton.jit
def multiply(x, w, wide, y, WIDTH: tl.constexpr, TYPE: tl.constexpr):
    columns = tl.arange(0, WIDTH)
    at = tl.program_id(0) * WIDTH + columns
    product = tl.load(x + at).to(tl.float32) * tl.load(w + columns).to(tl.float32)
    tl.store(wide + at, product)
    tl.store(y + at, product.to(TYPE))


@triton.jit
def multiply_tile(x, w, wide, y, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):
    columns = tl.arange(0, WIDTH)
    product = x.load([0, 0]).to(tl.float32) * tl.load(w + columns).to(tl.float32)[None, :]
    tl.store(wide + tl.arange(0, HEIGHT)[:, None] * WIDTH + columns[None, :], product)
    y.store([0, 0], product.to(w.dtype.element_ty))
