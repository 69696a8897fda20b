import types


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
        stages["ttir"] = stages["ttadapter"] = lambda module, metadata: module


def make_backend(target):
    return Backend()
