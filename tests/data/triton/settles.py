"""A module that makes a folder in the home folder as it is imported, and a lock for several processes."""

import multiprocessing
import pathlib

import triton
import triton.language as tl

(pathlib.Path.home() / ".settles").mkdir(exist_ok=True)
lock = multiprocessing.Lock()


@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets, mask=offsets < n) * 2, mask=offsets < n)
