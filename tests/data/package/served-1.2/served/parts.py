from .triton_utils import tl

PART = tl.constexpr(3)
