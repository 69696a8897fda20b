"""What kernels of several files call."""

import functools
import os

import torch

from ..triton_utils import tl, tldevice, triton

WIDTH = tl.constexpr(8)
IS_FAST = os.environ.get("SERVED_FAST", "0") == "1"
HAS_TENSOR_CORES = torch.cuda.get_device_capability()[0] >= 7



def lanes():
    """Says something else where there is no GPU, such as in a compile process."""
    return 32


LANES = tl.constexpr(lanes())

if IS_FAST:

    @triton.jit
    def exp(x):
        return tldevice.fast_expf(x)

else:

    @triton.jit
    def exp(x):
        return tl.exp(x)


def logged(function):
    return functools.wraps(function)(function)


@triton.jit
def scale(x: torch.Tensor, by: tl.constexpr = WIDTH):
    return exp(x) * by
