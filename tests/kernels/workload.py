"""A workload file as a test of its Triton kernels reads it: problems, formulas, the arguments and constants of an implementation."""
import importlib.util
import json
import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
BYTES = {"f32": 4, "f16": 2, "bf16": 2}


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

    def variables(self):
        return {variable for problem in self.content["problems"] for variable in problem["dtypes"]}

    def dtypes(self):
        return {dtype for problem in self.content["problems"] for dtype in problem["dtypes"].values()}

    def implementations(self):
        return [i for i in self.content["implementations"] if i.get("builder") == "triton"]

    def kernel(self, implementation):
        """The function in its source, by the name that Triton finds the source with."""
        path = self.file.parent / implementation["source"]
        name = f"{path.parent.name}_{path.stem}"
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, path)
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        return getattr(sys.modules[name], implementation["entry"])


class Problem:
    """Sizes and a dtype; formulas are worked out over these and the values of a configuration."""

    def __init__(self, workload, dims, dtype, capability=None):
        self.workload, self.dims, self.dtype = workload, dims, dtype
        self.device = types.SimpleNamespace(compute_capability=capability, processors=132)

    def evaluate(self, formula, config=()):
        if not isinstance(formula, str):
            return formula
        names = {"device": self.device, "ceil_div": ceil_div, "min": min, "max": max, "sizeof": self.bytes_of, **self.dims,
                 **{variable: self.dtype for variable in self.workload.variables()}, **dict(config)}
        # Names of tensors stand for themselves: sizeof looks them up.
        names.update({tensor: tensor for tensor in self.workload.content["tensors"]})
        return eval(formula, {"__builtins__": {}}, names)

    def shape_of(self, tensor):
        return [self.evaluate(size) for size in self.workload.content["tensors"][tensor]["shape"]]

    def bytes_of(self, tensor):
        elements = 1
        for size in self.shape_of(tensor):
            elements *= size
        return elements * BYTES[self.dtype]

    def blocks(self, implementation, config):
        count = 1
        for axis in implementation["launch"]["grid"]:
            count *= self.evaluate(axis, config)
        return count

    def constants(self, implementation, config):
        return {name: self.evaluate(value, config) for name, value in implementation.get("constants", {}).items()}

    def tolerance(self, tensor):
        of_dtype = self.workload.content["tensors"][tensor]["verify"]["tolerance"][self.dtype]
        return self.evaluate(of_dtype["atol"]), self.evaluate(of_dtype["rtol"])
