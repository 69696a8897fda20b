"""A program with a kernel under flash-linear-attention's own autotuner: capture_fla_program.py FLA_PACKAGE. It launches by keyword, in another order than the kernel's, on a
stub driver (stub_driver.py). With FLA_CACHE_MODE set nothing may be benchmarked. It prints the configurations that were launched."""
import importlib.util
import struct
import sys
import types

import stub_driver as sd
import triton
import triton.language as tl


class DType(str):
    """A type as torch writes it."""

    def __str__(self):
        return f"torch.{str.__str__(self)}"


def autotuner(package):
    """FLA's file, with stand-ins for what it asks torch, and for the comparison of versions."""
    torch, version = types.ModuleType("torch"), types.ModuleType("packaging.version")
    torch.cuda = types.SimpleNamespace(is_available=lambda: True, get_device_name=lambda _: "NVIDIA H100 80GB HBM3")
    version.parse = lambda text: tuple(map(int, text.split(".")[:3]))
    packaging = types.ModuleType("packaging")
    packaging.version = version
    new = {"torch": torch, "packaging": packaging, "packaging.version": version}
    old = {name: sys.modules.get(name) for name in new}
    sys.modules.update(new)
    spec = importlib.util.spec_from_file_location("fla.ops.utils.cache", f"{package}/fla/ops/utils/cache.py")
    cache = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cache)
    for name, module in old.items():
        sys.modules.pop(name)
        if module:
            sys.modules[name] = module
    return cache


def no_bench(tuner, *args, **keywords):
    sys.exit("a benchmark was launched")


cache = autotuner(sys.argv[1])
if cache.FLA_CACHE_MODE is not cache.FlaCacheMode.DISABLED:
    cache.CachedAutotuner._bench = no_bench


@triton.heuristics({"EVEN": lambda a: a["n"] % 16 == 0})
@cache.fla_cache_autotune([triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((32, 4), (16, 2), (16, 4))], key=["n", "EVEN"])
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


def run(x, y, out, n, *rest):
    a, b = struct.unpack(f"{n}f", x.read(4 * n)), y.read(n)
    out.write(struct.pack(f"{n}f", *[p + q for p, q in zip(a, b)]))


def tensor(n, dtype, values=None):
    made = sd.Tensor([n], dtype, values)
    made.dtype = DType(made.dtype)
    return made


sd.runs["add"] = run
for n in (20, 48):
    x, y, out = tensor(n, "float32", struct.pack(f"{n}f", *range(n))), tensor(n, "int8", bytes(range(n))), tensor(n, "float32")
    for i in range(2):
        add[lambda m: (triton.cdiv(n, m["BLOCK"]),)](y=y, x=x, out=out, n=n)
    print(n, add.fn.best_config.all_kwargs()["BLOCK"], add.fn.best_config.num_warps)
