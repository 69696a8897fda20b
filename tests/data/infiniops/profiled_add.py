"""Add in a process that has a profiler of its own: it subscribes to MSPTI before anything else can."""

import ctypes

from infini.ops import add

with open("/proc/self/maps", encoding="utf-8") as maps:
    LIBRARY = next(line.split()[-1] for line in maps if "libmspti.so" in line)
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint32, ctypes.c_void_p)
ignore, subscriber = CALLBACK(lambda *_: None), ctypes.c_void_p()
ctypes.CDLL(LIBRARY).msptiSubscribe(ctypes.byref(subscriber), ignore, None)

__all__ = ["add"]
