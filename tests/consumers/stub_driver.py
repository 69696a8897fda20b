"""A driver for Triton without a GPU, and tensors without torch: the whole way of a launch for sm_90, with nothing at its end but `runs`.

`runs` has functions by kernel's name: what such a launch does to its arguments. Tensors say that they are on STUB_DEVICE."""

import ctypes
import os

import triton
from triton.backends.compiler import GPUTarget

runs = {}
SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "int8": 1, "uint8": 1, "bool": 1,
         "float8_e4m3fn": 1}


class Launcher:
    def __init__(self, src, metadata):
        self.name = src.fn.__name__ if hasattr(src.fn, "__name__") else metadata.name

    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, leave, *args):
        if enter:
            enter(launch_metadata)
        if self.name in runs:
            runs[self.name](*args)
        if leave:
            leave(launch_metadata)


class Utils:
    def load_binary(self, name, kernel, shared, device):
        return 1, 2, 32, 0, 1024

    def get_device_properties(self, device):
        return {"max_shared_mem": 232448, "multiprocessor_count": 132, "warpSize": 32}


class Driver:
    utils, launcher_cls = Utils(), Launcher

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=0):
        return 0x7F0000000010

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_benchmarker(self):
        def bench(call, quantiles=None, **kwargs):
            for _ in range(3):
                call()
            return [1.0] * len(quantiles or (0.5,))

        return bench


class Tensor:
    """Elements in memory of this process; `like` is a tensor whose memory this one is a view of, from element `first` on."""

    device = type("device", (), {"type": os.environ.get("STUB_DEVICE", "cpu")})

    def __init__(self, shape, dtype="float32", values=None, strides=None, like=None, first=0):
        self.shape, self.dtype, self.size = tuple(shape), dtype, SIZES[dtype]
        made, step = [], 1
        for n in reversed(self.shape):
            made.insert(0, step)
            step *= n
        self.strides = tuple(strides or made)
        self.memory = like.memory if like else (ctypes.c_char * (step * self.size + 512))()
        start = ctypes.addressof(self.memory)
        self.start = start + -start % 256
        self.address = self.start + first * self.size
        if values is not None:
            self.write(bytes(values))

    def write(self, data):
        ctypes.memmove(self.address, data, len(data))

    def read(self, n):
        return ctypes.string_at(self.address, n)

    def data_ptr(self):
        return self.address

    def stride(self, axis=None):
        return self.strides if axis is None else self.strides[axis]

    def element_size(self):
        return self.size

    def untyped_storage(self):
        whole = object.__new__(Tensor)
        whole.address = self.start
        return whole

    def numel(self):
        n = 1
        for size in self.shape:
            n *= size
        return n

    def zero_(self):
        self.write(bytes(self.numel() * self.size))


triton.runtime.driver.set_active(Driver())
