"""Has ninetoothed generate a product of matrices: ninetoothed_product.py FILE.py. The generator asks Triton's driver for registers: here is one of an H100."""

import inspect
import shutil
import sys
import types

import triton
from triton.backends.compiler import GPUTarget

driver = types.SimpleNamespace(
    utils=types.SimpleNamespace(get_device_properties=lambda device: {"max_shared_mem": 232448, "max_num_regs": 65536}),
    get_current_target=lambda: GPUTarget("cuda", 90, 32), get_current_device=lambda: 0)
triton.runtime.driver.set_active(driver)

import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from ninetoothed.generation import CodeGenerator

BLOCK_M, BLOCK_N, BLOCK_K = block_size(), block_size(), block_size()


def arrangement(a, b, c):
    c_blocks = c.tile((BLOCK_M, BLOCK_N))
    a_blocks = a.tile((BLOCK_M, BLOCK_K)).tile((1, -1)).expand((-1, c_blocks.shape[1]))
    a_blocks.dtype = a_blocks.dtype.squeeze(0)
    b_blocks = b.tile((BLOCK_K, BLOCK_N)).tile((-1, 1)).expand((c_blocks.shape[0], -1))
    b_blocks.dtype = b_blocks.dtype.squeeze(1)
    return a_blocks, b_blocks, c_blocks


def product(a, b, c):
    total = ntl.zeros(c.shape, dtype=ntl.float32)
    for k in range(a.shape[0]):
        total += ntl.dot(a[k], b[k])
    c = total


product.__annotations__ = dict(zip(inspect.signature(product).parameters, arrangement(*(Tensor(2) for _ in range(3)))))
shutil.copy(CodeGenerator()(product, "torch", "product", (4, 8), (3, 4), None, False), sys.argv[1])
