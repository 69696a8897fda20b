"""Functions that a workload may call, y = 2 x, most of them with a fault. They need no library: memory is reached by its address."""
import ctypes
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time

count = {}  # calls of each function


def numbers(tensor):
    return (ctypes.c_float * math.prod(tensor.shape)).from_address(tensor.data_ptr())


def double(x, y):
    numbers(y)[:] = [2 * value for value in numbers(x)]


def calls_of(name):
    count[name] = count.get(name, 0) + 1
    return count[name]


def is_late(name):
    """True at one call, long after the first ones, of which more is forgiven."""
    return calls_of(name) == 100


class Made:
    """A result with memory of its own, as much of a tensor as anybody asks for."""

    def __init__(self, n, kind=ctypes.c_float, dtype="float32", device="cpu"):
        self.memory = (kind * n)()
        self.shape, self.dtype = (n,), dtype
        self.device = type("Device", (), {"type": device, "index": 0, "__str__": lambda device: device.type})()

    def data_ptr(self):
        return ctypes.addressof(self.memory)

    def stride(self):
        return (1,)

    def __setitem__(self, at, value):
        self.memory[at] = value


# ---- right ones ----


def right(x, y):
    double(x, y)


def by_keyword(x, *, out, factor, exact):
    assert exact is True
    numbers(out)[:] = [factor * value for value in numbers(x)]


def returned(x):
    made = Made(x.shape[0])
    made[:] = [2 * value for value in numbers(x)]
    return made


def maker(x, y):
    return lambda: double(x, y)


def prints(x, y):
    print('{"type":"result"}')
    os.write(1, b'{"type":"result"}\n')
    double(x, y)


def absent_is_none(x, y, bias):
    assert bias is None
    double(x, y)


def not_built(*tensors):
    return "it was built without this index"


# ---- what a function may not do ----


def reads_stdin(x, y):
    input()


def exits(x, y):
    sys.exit(0)


def ends_process(x, y):
    os._exit(0)


def aborts(x, y):
    os.abort()


def kills(x, y):
    os.kill(os.getpid(), signal.SIGKILL)


def forks(x, y):
    if is_late("forks") and os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    double(x, y)


def leaves_child(x, y):
    if is_late("leaves_child"):
        subprocess.Popen(["sleep", "60"])
    double(x, y)


def leaves_thread(x, y):
    if is_late("leaves_thread"):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    double(x, y)


def warm_thread(x, y):
    if calls_of("warm_thread") == 1:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    double(x, y)


def changes_folder(x, y):
    if is_late("changes_folder"):
        os.chdir("/")
    double(x, y)


def changes_fpu(x, y):
    double(x, y)
    if is_late("changes_fpu"):
        ctypes.CDLL("libm.so.6").fesetround(0xC00)


def takes_signal(x, y):
    double(x, y)
    if is_late("takes_signal"):
        signal.signal(signal.SIGSEGV, signal.SIG_IGN)


def at_first(x, y):
    raise ValueError("no such layout")


def at_503(x, y):
    if calls_of("at_503") == 503:  # with three calls before anything counts
        raise ValueError("the table is full")
    double(x, y)


def two(x, y):
    double(x, y)


def other_device(x):
    return Made(x.shape[0], device="cuda")


def other_type(x):
    return Made(x.shape[0], ctypes.c_double, "float64")


def other_shape(x):
    return Made(x.shape[0] + 1)


def view_of_input(x):
    return x


def none(x):
    return None


def one_too_few(x):
    return ()


def stale(x):
    """The memory of the last call, which has the last answer in it."""
    made = count.setdefault("stale", None) or returned(x)
    count["stale"] = made
    return made


def nothing(x, y):
    pass


def keeps_addresses(x, y):
    """Works with the first tensors of a shape that it was given."""
    double(*count.setdefault(("kept", x.shape), (x, y)))


def network(x, y):
    socket.create_connection(("192.0.2.1", 80), timeout=5).close()
    double(x, y)


def compiles_anew(x, y):
    scope = {"numbers": numbers}
    exec(compile(f"def f{calls_of('compiles_anew')}(x, y):\n    numbers(y)[:] = [2 * value for value in numbers(x)]", "anew", "exec"), scope)
    scope[f"f{count['compiles_anew']}"](x, y)


def allocates_more(x, y, held=[]):
    held.append(bytearray(1 << 16))
    double(x, y)


def too_much(x, y, held=[]):
    held.append(bytearray(1 << 46 if is_late("too_much") else 1))
    double(x, y)


def sleeps(x, y):
    if calls_of("sleeps") > 3:
        time.sleep(600)
    double(x, y)


def makes_nothing(x, y):
    return 3


constant = None
