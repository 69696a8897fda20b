"""A library with kernels of its own choice, an autotuned kernel, and an autotuner of its own in the manner of FlagGems: its `run` is its own, and its cache is a file."""
import triton
import triton.language as tl
from triton.runtime.autotuner import Autotuner

CONFIGS = [triton.Config({"B": 256}, num_warps=4), triton.Config({"B": 512}, num_warps=8), triton.Config({"B": 1024}, num_warps=8)]
measured, written = [], []


class Cache(dict):
    def __setitem__(self, key, value):
        written.append(key)
        super().__setitem__(key, value)


class Tuner(Autotuner):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.cache = Cache()

    def _bench(self, *args, config, **meta):
        measured.append(config)
        return super()._bench(*args, config=config, **meta)

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        key = tuple(self.nargs[name] for name in self.keys)
        if key not in self.cache:
            times = {config: self._bench(*args, config=config, **kwargs) for config in self.prune_configs(kwargs)}
            self.cache[key] = min(times, key=times.get)
        self.best_config = self.cache[key]
        return self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())


@triton.jit
def copy_kernel(x, y, n, mode, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


copy_kernel = Tuner(copy_kernel, copy_kernel.arg_names, CONFIGS, ["n"], None, None)


def copy(x, y, n):
    return copy_kernel[lambda meta: (triton.cdiv(n, meta["B"]),)](x, y, n, 0)


@triton.jit
def scale_kernel(x, n, D: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * D, mask=i < n)


@triton.jit
def unknown_kernel(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 0.0)


def scale(x, n, d, **options):
    return scale_kernel[lambda meta: (triton.cdiv(n, meta["B"]),)](x, n, d, B=256, **options)


def scale_by_place(x, n, d):
    return scale_kernel[lambda meta: (triton.cdiv(n, meta["B"]),)](x, n, d, 256)


def unknown(x):
    return unknown_kernel[(1,)](x, 64)
