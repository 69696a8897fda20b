"""Has Triton's own autotuner tune asked_kernels.axpy for sizes, without a GPU, and keep what it has found in $TRITON_CACHE_DIR: triton_tunes.py N...

Its clock is planted: the block of 64 is the fastest, and what is unrolled has no room on the device.
"""
import sys

import stub_driver
from triton.runtime.errors import OutOfResources

launched = {}


def bench(call, quantiles=None, **_):
    call()
    if launched["UNROLL"] > 1:
        raise OutOfResources(300000, 232448, "shared memory")
    return [launched["BLOCK"] / 1000] * len(quantiles or (0.5,))


def tensor(n):
    """A tensor whose type has torch's name, as keys have it."""
    made = stub_driver.Tensor([n])
    made.dtype = "torch.float32"
    return made


stub_driver.Driver.get_benchmarker = lambda self: bench
from asked_kernels import axpy  # noqa: E402: an autotuner takes the benchmarker as it is made

run = axpy.fn.run
axpy.fn.run = lambda *arguments, **options: (launched.update(options), run(*arguments, **options))[1]
for n in map(int, sys.argv[1:]):
    axpy[(1,)](tensor(n), tensor(n), tensor(n), n)
