__version__ = "3.2.0"

from triton.runtime.jit import JITFunction


def jit(fn):
    return JITFunction(fn)
