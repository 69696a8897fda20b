"""As much of Triton as an import of the files beside it needs: its decorators, without a compiler."""


class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None):
        self.kwargs, self.num_warps, self.num_stages, self.num_ctas, self.maxnreg = kwargs, num_warps, num_stages, num_ctas, maxnreg

    def all_kwargs(self):
        options = ((name, getattr(self, name)) for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"))
        return {**self.kwargs, **{name: value for name, value in options if value is not None}}


class JITFunction:
    def __init__(self, fn):
        self.fn, self.__name__ = fn, fn.__name__


class Autotuner:
    def __init__(self, fn, configs, key):
        self.fn, self.configs, self.keys = fn, configs, key


class Heuristics:
    def __init__(self, fn, values):
        self.fn, self.values = fn, values


def jit(fn):
    return JITFunction(fn)


def autotune(configs, key, **others):
    return lambda fn: Autotuner(fn, configs, key)


def heuristics(values):
    return lambda fn: Heuristics(fn, values)
