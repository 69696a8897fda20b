"""FlagGems without torch and without its other kernels, in every Python that starts with this text as its sitecustomize: its package runs no __init__ but those of utils and
runtime, and torch is a name for anything. What is asked for in the cache depends on neither."""
import importlib.machinery
import importlib.util
import os
import sys
import types


class Anything:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *args, **_):
        return args[0] if len(args) == 1 and callable(args[0]) else Anything()


def make(name, kind=types.ModuleType, path=()):
    module = sys.modules[name] = kind(name)
    module.__path__, module.__spec__ = list(path), importlib.machinery.ModuleSpec(name, None, is_package=True)
    if "." in name:
        setattr(sys.modules[name.rpartition(".")[0]], name.rpartition(".")[2], module)


for name in ("torch", "torch.cuda", "torch.backends", "torch.backends.cuda", "torch._prims_common"):
    make(name, type("Module", (Anything, types.ModuleType), {}))
cuda = sys.modules["torch.cuda"]
cuda.device_count, cuda.is_available, cuda.current_device, cuda.get_device_name = (lambda: 1), (lambda: True), (lambda: 0), (lambda *_: "NVIDIA H200 NVL")
cuda.get_device_properties = lambda *_: types.SimpleNamespace(major=9, minor=0, multi_processor_count=132, shared_memory_per_block_optin=232448)
os.environ.update(GEMS_VENDOR="nvidia", ARCH="9")
home = importlib.util.find_spec("flag_gems").submodule_search_locations[0]
for name, path in (("flag_gems", home), ("flag_gems.ops", os.path.join(home, "ops"))):
    make(name, path=[path])
