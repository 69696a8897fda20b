"""Kernels whose pointers take each way that TTIR has: loops, conditions, calls, blocks, descriptors, atomic operations and addresses in data."""
import triton
import triton.language as tl


@triton.jit(noinline=True)
def put(p, v):
    tl.store(p, v)
    return p + 1


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def flow(x, y, z, cnt, addrs, n, B: tl.constexpr):
    off = tl.program_id(0) * B + tl.arange(0, B)
    p = x + off
    acc = tl.zeros((B,), tl.float32)
    for i in range(0, n):
        acc += tl.load(p, mask=off < n)
        p += B
    r = put(y, 1.0)
    tl.store(r, 2.0)
    if n > 5:
        q = x
    else:
        q = z
    tl.store(q + off, twice(acc))
    tl.atomic_add(cnt, 1)
    a = tl.load(addrs).to(tl.pointer_type(tl.float32))
    tl.store(a + off, acc)


@triton.jit
def whiles(x, y, lock, n, B: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    p = x
    i = 0
    while i < n:
        p += B
        i += 1
    tl.store(p, 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
    yb = tl.make_block_ptr(y, (n,), (1,), (0,), (B,), (0,))
    v = tl.load(yb)
    yb = tl.advance(yb, (B,))
    tl.store(yb, v)


@triton.jit
def descriptors(x, y, n, B: tl.constexpr):
    xd = tl.make_tensor_descriptor(x, (n, n), (n, 1), (B, B))
    v = xd.load([0, 0])
    y.store([0, 0], v)
    y.atomic_add([0, 0], v)
