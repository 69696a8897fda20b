import triton
import triton.language as tl

SIZES = [16]
SIZES[0] = 32
STAGES = [2]
WARPS = 4
if len(STAGES) == 1:
    WARPS = 8
for STAGES in ([3], [4]):
    pass


@triton.autotune(configs=[triton.Config({"BLOCK": block}, num_warps=WARPS, num_stages=STAGES[0]) for block in SIZES], key=["n"])
@triton.jit
def fill(x, n, BLOCK: tl.constexpr, MODE: tl.constexpr = "it's", ROUND: tl.constexpr = "down"):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)


CONDITIONAL = [triton.Config({"BLOCK": 64})]
if WARPS == 8:
    CONDITIONAL = [triton.Config({"BLOCK": 128})]


@triton.autotune(configs=CONDITIONAL, key=["n"])
@triton.jit
def zero(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)


def extend(configs):
    configs.append(triton.Config({"BLOCK": 256}))


PASSED = [triton.Config({"BLOCK": 64})]
extend(PASSED)


@triton.autotune(configs=PASSED, key=["n"])
@triton.jit
def passed(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)


ALIASED = [triton.Config({"BLOCK": 64})]
ALIAS = ALIASED
ALIAS.append(triton.Config({"BLOCK": 512}))


@triton.autotune(configs=ALIASED, key=["n"])
@triton.jit
def aliased(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0, mask=tl.arange(0, BLOCK) < n)
