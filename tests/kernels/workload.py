"""A workload file as a test of its Triton kernels reads it: problems, formulas, the arguments and constants of an implementation."""
import importlib
import json
import math
import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4}
sys.path.append(str(ROOT))  # last: none of its folders hides a package


def ceil_div(a, b):
    return -(-a // b)


def built_values(implementation, config):
    """Values of a configuration that a kernel is compiled for: others are for the launch alone."""
    stages = {name: stated.get("stage") for name, stated in implementation["parameters"].items() if isinstance(stated, dict)}
    return {name: value for name, value in config.items() if stages.get(name) != "launch"}


class Workload:
    def __init__(self, name):
        self.file = ROOT / "workloads" / f"{name}.json"
        self.content = json.loads(self.file.read_text())

    def dtypes(self):
        """Types of each problem, every combination once."""
        return [dict(pairs) for pairs in dict.fromkeys(tuple(problem["dtypes"].items()) for problem in self.content["problems"])]

    def implementations(self):
        return [i for i in self.content["implementations"] if i.get("builder") == "triton"]

    def kernel(self, implementation):
        """The function in its source, a module of the packages that its folders are."""
        path = (self.file.parent / implementation["source"]).relative_to(ROOT).with_suffix("")
        return getattr(importlib.import_module(".".join(path.parts)), implementation["entry"])


class Problem:
    """Sizes and types; formulas are worked out over these and the values of a configuration."""

    def __init__(self, workload, dims, dtypes, capability=None):
        self.workload, self.dims, self.dtypes = workload, dims, dtypes
        self.device = types.SimpleNamespace(compute_capability=capability, processors=132)

    def evaluate(self, formula, config=()):
        if not isinstance(formula, str):
            return formula
        names = {"device": self.device, "ceil_div": ceil_div, "min": min, "max": max, "abs": abs, "int": int, "log2": math.log2, "sizeof": self.bytes_of,
                 "true": True, "false": False, **self.dims, **self.dtypes, **dict(config)}
        # Names of tensors stand for themselves: sizeof looks them up.
        names.update({tensor: tensor for tensor in self.workload.content["tensors"]})
        return eval(formula, {"__builtins__": {}}, names)

    def shape_of(self, tensor):
        return [self.evaluate(size) for size in self.workload.content["tensors"][tensor]["shape"]]

    def strides_of(self, tensor):
        """Elements from one to the next, for each dimension."""
        stated, packed = self.workload.content["tensors"][tensor].get("strides"), [1]
        for size in reversed(self.shape_of(tensor)[1:]):
            packed.insert(0, packed[0] * size)
        return [self.evaluate(stride) for stride in stated] if stated else packed

    def dtype_of(self, tensor):
        dtype = self.workload.content["tensors"][tensor]["dtype"]
        return self.dtypes.get(dtype, dtype)

    def bytes_of(self, tensor):
        return math.prod(self.shape_of(tensor)) * BYTES[self.dtype_of(tensor)]

    def is_there(self, tensor):
        stated = self.workload.content["tensors"][tensor]
        return "cuda" in stated.get("devices", ["cuda"]) and bool(self.evaluate(stated.get("optional", True)))

    def shared_by(self, tensor):
        """The tensor in whose memory this one lies: itself, unless it names another one."""
        stated = self.workload.content["tensors"][tensor]
        return stated["shares"] if "shares" in stated and self.evaluate(stated.get("shares_if", True)) else tensor

    def blocks(self, implementation, config):
        count, names = 1, {**dict(config), **self.constants(implementation, config)}
        for axis in implementation["launch"]["grid"]:
            count *= self.evaluate(axis, names)
        return count

    def constants(self, implementation, config):
        return {name: self.evaluate(value, config) for name, value in implementation.get("constants", {}).items()}

    def tolerance(self, tensor):
        verify = self.workload.content["tensors"][tensor]["verify"]
        if verify["kind"] == "exact":
            return 0, 0
        of_dtype = verify["tolerance"][self.dtype_of(tensor)]
        return self.evaluate(of_dtype["atol"]), self.evaluate(of_dtype["rtol"])
