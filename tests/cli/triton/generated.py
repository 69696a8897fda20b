"""Kernels as ninetoothed 0.26 generates them: an autotuner that a call makes, and a launcher that tells grid, sizes and strides."""

import triton
import triton.language


@triton.jit
def add(x_pointer, x_size_0, x_size_1, x_stride_0, x_stride_1, out_pointer, out_size_0: triton.language.constexpr, out_stride_0, s, BLOCK: triton.language.constexpr):
    rows = triton.language.program_id(0) * BLOCK + triton.language.arange(0, BLOCK)
    triton.language.store(out_pointer + rows * out_stride_0, triton.language.load(x_pointer + rows * x_stride_0) + s, mask=rows < x_size_0)


@triton.jit
def add_npu(x_pointer, x_size_0, x_size_1, x_stride_0, x_stride_1, out_pointer, out_size_0: triton.language.constexpr, out_stride_0, s, BLOCK: triton.language.constexpr):
    rows = triton.language.program_id(0) * BLOCK + triton.language.arange(0, BLOCK)
    triton.language.store(out_pointer + rows * out_stride_0, triton.language.load(x_pointer + rows * x_stride_0) + s, mask=rows < x_size_0)


add_with_auto_tuning = triton.autotune(configs=[triton.Config({"BLOCK": 32}, num_warps=4), triton.Config({"BLOCK": 64}, num_warps=8)], key=["x_size_0", "s"])(add)
add_npu_with_auto_tuning = triton.autotune(configs=list([triton.Config({"BLOCK": 128})]), key=["x_size_0"])(add_npu)


def launch_add(x, out, s):
    add_with_auto_tuning[lambda meta: ((x.size(0) + meta["BLOCK"] - 1) // meta["BLOCK"], 1)](
        x, x.size(0), x.size(1), x.stride(0), x.stride(1), out, x.size(0), out.stride(0), s)
