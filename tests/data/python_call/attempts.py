"""Functions that python_checks.c calls: x is f32[4, 8], out as large; without numpy, so that any Python runs them."""

import ctypes
import json
import sys


def elements(tensor):
    steps = tensor.stride()
    assert steps[1] == 1 or tensor.shape[1] == 1
    rows = []
    for i in range(tensor.shape[0]):
        rows.append((ctypes.c_float * tensor.shape[1]).from_address(tensor.data_ptr() + 4 * i * steps[0]))
    return rows


def scale(x, out, *, factor=1.0):
    for source, target in zip(elements(x), elements(out)):
        for k, v in enumerate(source):
            target[k] = v * factor


def nothing(a, b, c, *, d, e, f):
    pass


class Array:
    """A new tensor as libraries return them."""

    def __init__(self, x, factor, shape=None, strides=None, device="cpu", dtype="torch.float32"):
        self.shape = shape or tuple(x.shape)
        self.memory = (ctypes.c_float * 32)()
        self.strides = strides or (self.shape[1], 1)
        self.device = type("device", (), {"type": device, "index": 0})
        self.dtype = dtype
        for i, row in enumerate(elements(x)):
            for k, v in enumerate(row):
                self.memory[i * self.strides[0] + k * self.strides[1]] = v * factor

    def data_ptr(self):
        return ctypes.addressof(self.memory)

    def stride(self):
        return self.strides


answers = []


def scaled(x, *, factor):
    return Array(x, factor)


def scaled_by_columns(x, *, factor):
    return [Array(x, factor, strides=(1, 4))]


def kept(x, *, factor):
    """Computes once and gives the same memory back from then on."""
    if not answers:
        answers.append(Array(x, factor))
    return answers[0]


def two(x, *, factor):
    return Array(x, factor), Array(x, factor)


def none(x, *, factor):
    return None


def number(x, *, factor):
    return factor


def flat(x, *, factor):
    return Array(x, factor, shape=(4, 7), strides=(8, 1))


def narrow(x, *, factor):
    return Array(x, factor, dtype="torch.float16")


def elsewhere(x, *, factor):
    return Array(x, factor, device="cuda")


def nowhere(x, *, factor):
    """On a device without a number, as PyTorch's "meta"."""
    array = Array(x, factor, device="meta")
    array.device.index = None
    return array


def same(x, *, factor):
    return x


def part(x, *, factor):
    array = Array(x, factor)
    array.data_ptr = lambda: x.data_ptr() + 16
    return array


launches = [0]


def fails_first(x, out):
    raise ValueError("not today")


def fails_at_500(x, out):
    launches[0] += 1
    if launches[0] == 3 + 500:
        raise KeyError("late")


def fails_below(x, out):
    json.loads("{")


class Own(Exception):
    pass


def fails_by_own(x, out):
    raise Own("mine")


def exits(x, out):
    sys.exit(3)


def reads(x, out):
    if sys.stdin.read(1) != "":
        raise ValueError("there is something on stdin")


def maker(x, out):
    if not x.shape:
        return None
    return lambda: scale(x, out, factor=3.0)


counts = {}


def counted(x, out):
    counts["calls"] = counts.get("calls", 0) + 1
    scale(x, out, factor=counts["calls"])


def remembers(x, out):
    """A cache without addresses."""
    first = counts.setdefault("first", (x, out))
    scale(*first)


def makes_anew(x, out):
    counts["made"] = counts.get("made", 0) + 1
    sources, targets = elements(x), elements(out)

    def run():
        for source, target in zip(sources, targets):
            for k, v in enumerate(source):
                target[k] = v * counts["made"]

    return run


def makes_nothing(x, out):
    return 7


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError

    __repr__ = __str__


def unprintable(x, out):
    raise Unprintable


def is_there(x, out):
    return None


def is_not(x, out):
    return "index 2 was not built in"


def asks_wrongly(x):
    return None


def changes_folder(x, out):
    import os

    os.chdir("/")


def dlpack(x, out):
    """Reads the capsule as a library does and renames it."""
    capsule = x.__dlpack__()
    assert x.__dlpack_device__() == (1, 0)
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    at = api.PyCapsule_GetPointer(capsule, b"dltensor")
    head = (ctypes.c_uint8 * 64).from_address(at)
    assert int.from_bytes(bytes(head[0:8]), "little") == x.data_ptr()
    assert int.from_bytes(bytes(head[8:12]), "little") == 1  # kDLCPU
    assert int.from_bytes(bytes(head[16:20]), "little") == 2  # rank
    assert bytes(head[20:24]) == bytes([2, 32, 1, 0])  # kDLFloat, 32 bits, 1 lane
    shape = (ctypes.c_int64 * 2).from_address(int.from_bytes(bytes(head[24:32]), "little"))
    strides = (ctypes.c_int64 * 2).from_address(int.from_bytes(bytes(head[32:40]), "little"))
    assert (list(shape), list(strides)) == ([4, 8], [8, 1])
    api.PyCapsule_SetName(capsule, b"used_dltensor")
    interface = x.__array_interface__
    assert interface["data"] == (x.data_ptr(), False) and interface["typestr"] == "<f4" and interface["strides"] == (32, 4)
    assert (str(x.dtype), str(x.device), x.device.type, x.device.index) == ("float32", "cpu", "cpu", 0)


def kinds(x, text, flag, whole, real, none, many, stream, *, mode):
    assert (text, flag, whole, real, none, many, stream, mode) == ("hi", True, 7, 0.5, None, (1, 2), 0, "fast")
    assert type(flag) is bool and type(whole) is int and type(real) is float


not_callable = 3
