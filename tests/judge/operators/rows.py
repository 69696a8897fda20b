"""Root mean square of each row of x[R, C], a program a row: `slow` computes all of it PASSES times. What kernels keep lies in scratch memory, 64 bits a row."""
import triton
import triton.language as tl

PASSES = tl.constexpr(8)


@triton.jit
def squares(x, C, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * C + at, at < C, 0.0, volatile=True)
    return tl.sum(row * row)


@triton.jit
def rms(x, C, BLOCK: tl.constexpr):
    return tl.sqrt(squares(x, C, BLOCK) / C + 1e-6)


@triton.jit
def slow(x, C, BLOCK: tl.constexpr):
    answer = 0.0
    for _ in range(PASSES):
        answer = tl.sqrt(squares(x, C, BLOCK) / C + 1e-6) + answer * 0
    return answer


@triton.jit
def keep(key, kept, x, y, C, BLOCK: tl.constexpr):
    """Writes the row's answer: that kept beside the lower half of a key (`kept`: i64 a row, the answer's bits below), else computed slowly and kept."""
    row = tl.program_id(0)
    mine = kept.to(tl.pointer_type(tl.int64)) + row
    short = key & 0x7FFFFFFF
    there = tl.load(mine, volatile=True)
    if (there >> 32) == short:
        tl.store(y + row, (there & 0xFFFFFFFF).to(tl.int32).to(tl.float32, bitcast=True))
    else:
        answer = slow(x, C, BLOCK)
        tl.store(y + row, answer)
        tl.store(mine, (short << 32) | (answer.to(tl.int32, bitcast=True).to(tl.int64) & 0xFFFFFFFF))
