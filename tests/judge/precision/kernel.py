"""Lower precision, in Triton: bf16 inputs. WHICH: 0 honest, 1 products and sums in bf16, 2 in f16, 3 a twin that sums in f32."""
import triton
import triton.language as tl

PASSES = tl.constexpr(8)


@triton.jit
def dot(x, w, C, BLOCK: tl.constexpr, T: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * C + at, at < C, 0.0, volatile=True).to(T)
    b = tl.load(w + at, at < C, 0.0, volatile=True).to(T)
    return tl.sum((a * b).to(T).to(tl.float32))


@triton.jit
def rows(x, w, y, C, BLOCK: tl.constexpr, WHICH: tl.constexpr):
    row = tl.program_id(0)
    if WHICH == 0:
        answer = 0.0
        for _ in range(PASSES):
            answer = dot(x, w, C, BLOCK, tl.float32) + answer * 0
        tl.store(y + row, answer)
    elif WHICH == 1:
        tl.store(y + row, dot(x, w, C, BLOCK, tl.bfloat16))
    elif WHICH == 2:
        tl.store(y + row, dot(x, w, C, BLOCK, tl.float16))
    else:
        tl.store(y + row, dot(x, w, C, BLOCK, tl.float32))
