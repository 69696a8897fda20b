"""Functions that call the double's Add in ways of their own, for tests of what is timed."""

import ctypes
import threading
import time

from infini.ops import add, find_library

calls = {"grows": 0}
streams = {}
returned = {"rested": 0, "in a row": 0}


def twice(*arguments, **keywords):
    """Two kernels a launch."""
    add(*arguments, **keywords)
    add(*arguments, **keywords)


def filled(first, second, out, *, stream, **keywords):
    """A fill of the output before it is written."""
    fill = find_library("libascendcl.so").aclrtMemsetAsync
    fill.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int32, ctypes.c_size_t, ctypes.c_void_p
    n = 4 * out.shape[0] * out.shape[1]
    if fill(out.data_ptr(), n, 0, n, stream):
        raise RuntimeError("aclrtMemsetAsync failed")
    add(first, second, out, stream=stream, **keywords)


def grows(*arguments, **keywords):
    """One kernel more with each launch."""
    calls["grows"] += 1
    for _ in range(calls["grows"]):
        add(*arguments, **keywords)


def rested(*arguments, **keywords):
    """Takes 5 ms more unless it is the sixth call or a later one that each began within 40 us of the last: a processor whose caches hold something else by then does
    the same by a smaller figure."""
    returned["in a row"] = returned["in a row"] + 1 if time.monotonic_ns() - returned["rested"] < 40_000 else 0
    if returned["in a row"] < 5:
        time.sleep(0.005)
    add(*arguments, **keywords)
    returned["rested"] = time.monotonic_ns()


def elsewhere(*arguments, **keywords):
    """A kernel of another thread, on the device of this one."""
    library, context = find_library("libascendcl.so"), ctypes.c_void_p()
    if library.aclrtGetCurrentContext(ctypes.byref(context)):
        raise RuntimeError("aclrtGetCurrentContext failed")

    def work():
        if not library.aclrtSetCurrentContext(context):
            add(*arguments, **keywords)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def aside(*arguments, stream, **keywords):
    """A kernel on a stream of its own."""
    if not streams:
        made = ctypes.c_void_p()
        if find_library("libascendcl.so").aclrtCreateStream(ctypes.byref(made)):
            raise RuntimeError("aclrtCreateStream failed")
        streams["own"] = made.value
    add(*arguments, stream=streams["own"], **keywords)


def ahead(*arguments, **keywords):
    """A kernel of another thread ahead of its own."""
    elsewhere(*arguments, **keywords)
    add(*arguments, **keywords)


def bump(first, second, **keywords):
    """Adds to a tensor in place: a launch finds what the one before it has left."""
    add(first, second, second, **keywords)


def idle(*arguments, **keywords):
    """Nothing on the device."""


