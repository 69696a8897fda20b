import subprocess
import types

crashed = {}  # how often, by module


def lower(module, metadata):
    """Dies as a compiler would, by chance, as often as the module says."""
    crashed[module] = crashed.get(module, -1) + 1
    if crashed[module] < int(module.rpartition("crashes=")[2]):
        raise subprocess.CalledProcessError(-11, ["triton-adapter-opt"])
    return module


class Backend:
    def parse_options(self, options):
        return types.SimpleNamespace(**{"multibuffer": True, **options})

    def load_dialects(self, context):
        pass

    def get_codegen_implementation(self):
        return {}

    def get_module_map(self):
        return {}

    def add_stages(self, stages, options):
        stages["ttir"], stages["ttadapter"] = lambda module, metadata: module, lower


def make_backend(target):
    return Backend()
