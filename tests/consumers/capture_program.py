"""Programs whose launches tests/consumers/capture.t has recorded: `capture_program.py CASE`. No GPU and no torch: stub_driver."""

import ctypes
import multiprocessing
import os
import struct
import subprocess
import sys
import threading
import types

import stub_driver
import triton
import triton.language as tl
from stub_driver import Tensor
from triton.tools.tensor_descriptor import TensorDescriptor


def floats(tensor, n):
    return struct.unpack(f"{n}f", tensor.read(4 * n))


def filled(numbers, code="f", dtype="float32", **more):
    return Tensor([len(numbers)], dtype, struct.pack(f"{len(numbers)}{code}", *numbers), **more)


@triton.jit
def saxpy(x, y, out, n, a, BLOCK: tl.constexpr, EVEN: tl.constexpr, SIDE: tl.constexpr = 3):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * a + tl.load(y + i, i < n) + SIDE - SIDE, i < n)


def run_saxpy(x, y, out, n, a, *_):
    out.write(struct.pack(f"{n}f", *(p * a + q for p, q in zip(floats(x, n), floats(y, n)))))


stub_driver.runs["saxpy"] = run_saxpy
configs = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (64, 128, 256) for warps in (2, 4)]
tuned = triton.autotune(configs, ["n"], prune_configs_by={"early_config_prune": lambda configs, named, **_: [c for c in configs if c.kwargs["BLOCK"] < named["n"]]})(
    triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})(saxpy))
evened = triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})(saxpy)


def grid_of(n):
    return lambda meta: (triton.cdiv(n, meta["BLOCK"]),)


def launch_saxpy(n, kernel=tuned, a=0.5, **constants):
    x, y, out = filled(range(n)), filled(range(n)), filled([0] * n)
    kernel[grid_of(n)](x, y, out, n, a, **constants)
    return floats(out, n)


def case_tuned():
    for n in (200, 128, 200, 200):
        assert launch_saxpy(n) == tuple(1.5 * i for i in range(n))


def case_blocks():
    for a in (0.5, 0.5, 0.25):
        launch_saxpy(200, evened, a, BLOCK=128, num_warps=8)
    evened[(2,)](filled(range(200)), filled(range(200)), filled([0] * 200), 200, 0.5, BLOCK=128)


class Holder:
    """A program's own class, whose `fn` is a kernel."""

    fn = evened

    def call(self, n, *args, **kwargs):
        return launch_saxpy(n, self.fn, **kwargs)


def case_held():
    Holder().call(200, "else", BLOCK=128)


def case_counts():
    """A reference that gets a tensor of integers."""
    copy[(1,)](filled([1 << 60, 3], "q", "int64"), filled([0, 0], "q", "int64"), 2, 0, 0.0, False, None, 16, tl.int64)


def counts(source, n, **_):
    assert str(source.dtype).endswith("int64") and n == 2
    return {"source": source}


def case_again():
    """A compiled kernel launched by itself, and many launches of one shape."""
    compiled = evened[(2,)](*(given := (filled(range(200)), filled(range(200)), filled([0] * 200), 200, 0.5)), BLOCK=128)
    for _ in range(999):
        compiled[(2, 1, 1)](*given, 128, False, 3)


def case_scalars():
    for a in range(40):
        launch_saxpy(200, evened, float(a), BLOCK=128)
    for n in range(300):
        launch_saxpy(200 + n, evened, BLOCK=128)


@triton.jit
def twice(value):
    return value * 2


@triton.jit
def apply(pointers, data, maybe, pair, flag, F: tl.constexpr, TYPE: tl.constexpr):
    tl.store(data, F(tl.load(data)).to(TYPE))


@triton.jit
def copy(source, to, n, big, real, flag, maybe, BLOCK: tl.constexpr, TYPE: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(to + i, tl.load(source + i, i < n).to(TYPE), i < n)


@triton.jit
def numbered(addresses, to, n):
    tl.store(to, tl.load(addresses))


def case_odd():
    whole = filled(range(64))
    halves = [Tensor([4, 4], strides=[8, 1], like=whole, first=first) for first in (1, 32)]
    copy[(1,)](*halves, 16, 1 << 40, 1.5, True, None, 16, tl.float32)
    copy[(1,)](Tensor([0]), Tensor([0]), 0, 1 << 60, float("inf"), False, whole, 16, tl.float32)
    copy[(1,)](Tensor([16], "float8_e4m3fn"), Tensor([4, 4], "bfloat16", strides=[1, 4]), 0, 0, 0.0, False, None, 16, tl.bfloat16)
    copy[(0,)](*halves, 16, 1, 1.5, True, None, 16, tl.float32)
    apply[(1,)](whole, whole, None, (1, 2), True, twice, tl.float32)
    numbered[(1,)](filled([whole.data_ptr(), whole.data_ptr() + 8], "q", "int64"), whole, 3)


def set_box(args):
    args["rows"].block_shape = [args["M"], 64]


@triton.autotune([triton.Config({"M": m}, pre_hook=set_box) for m in (16, 32)], [])
@triton.jit
def described(rows, out, M: tl.constexpr):
    tl.store(out + tl.arange(0, M), tl.sum(rows.load([0, 0]), 1))


def case_boxes():
    rows = Tensor([64, 64])
    rows.dtype = type("dtype", (), {"itemsize": 4, "is_floating_point": True, "__str__": lambda _: "float32"})()
    described[lambda meta: (triton.cdiv(64, meta["M"]),)](TensorDescriptor(rows, [64, 64], [64, 1], [1, 1]), Tensor([64]))


def case_exec():
    space = {"triton": triton, "tl": tl, "__name__": "made"}
    exec("def made(x, N: tl.constexpr):\n    tl.store(x, N)\n", space)
    made = space["made"]
    try:
        triton.jit(made)[(1,)](filled([1.0]), 3)
    except (OSError, ValueError):  # Triton's own: a function without a file
        print("no source")


def case_forks():
    launch_saxpy(200, evened, BLOCK=64)
    child = os.fork()
    launch_saxpy(64 if child else 128, evened, BLOCK=64)
    if not child:
        os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5


def recorder():
    return sys.modules["asctune_capture._capture"].recorder


def case_inherits():
    """A child of fork() in whose parent another thread has the recorder's lock, and a launch that is to be saved has not come yet."""
    given = (filled(range(200)), filled(range(200)), filled([0] * 200), 200, 0.5)
    compiled = evened[(2,)](*given, BLOCK=128)
    compiled.launch_metadata((2,), stub_driver.Driver().get_current_stream(), *given, 128, False, 3)
    held, done = threading.Event(), threading.Event()
    holder = threading.Thread(target=lambda: recorder().lock.acquire() and (held.set(), done.wait(), recorder().lock.release()))
    holder.start()
    held.wait()
    child = os.fork()
    if not child:
        compiled[(2, 1, 1)](*given, 128, False, 3)
        os._exit(0)
    done.set(), holder.join()
    assert os.waitpid(child, 0)[1] == 0


def case_pool():
    """A child of multiprocessing, which ends without the functions of atexit."""
    launch_saxpy(200, evened, BLOCK=64)
    child = multiprocessing.get_context("fork").Process(target=lambda: [launch_saxpy(128, evened, BLOCK=64) for _ in range(7)])
    child.start(), child.join()
    assert child.exitcode == 0


def case_lost():
    """A child of fork() for which there is no folder any more."""
    launch_saxpy(200, evened, BLOCK=64)
    aside = os.environ["ASCTUNE_CAPTURE"] + ".aside"
    os.rename(os.environ["ASCTUNE_CAPTURE"], aside)
    child = os.fork()
    if not child:
        os.rename(aside, os.environ["ASCTUNE_CAPTURE"])
        os._exit(len(launch_saxpy(200, evened, BLOCK=64)) - 200)
    assert os.waitpid(child, 0)[1] == 0


def case_crowd():
    """Threads of two processes, all of which are in a launch that is to be saved before any has been."""
    blocks = (32, 64, 128)
    for block in blocks:
        launch_saxpy(200, evened, BLOCK=block)
    all_in = multiprocessing.get_context("fork").Barrier(2 * len(blocks))

    def run(*given):
        all_in.wait()
        run_saxpy(*given)

    stub_driver.runs["saxpy"] = run
    child = os.fork()
    threads = [threading.Thread(target=launch_saxpy, args=(1000 + (child == 0), evened), kwargs={"BLOCK": block}) for block in blocks]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    if child:
        assert os.waitpid(child, 0)[1] == 0


def case_missed():
    """A launch that an exception ends before it comes; the next one has other tensors."""
    given = (filled(range(200)), filled(range(200)), filled([0] * 200), 200, 0.5)
    compiled = evened[(2,)](*given, BLOCK=128)
    compiled.launch_metadata((2,), stub_driver.Driver().get_current_stream(), *given, 128, False, 3)
    launch_saxpy(100, evened, BLOCK=128)
    compiled[(2, 1, 1)](filled([7] * 200), *given[1:], 128, False, 3)
    compiled[(2, 1, 1)](*given, 128, False, 3)


def case_workers():
    launch_saxpy(200, evened, BLOCK=64)
    for _ in range(2):
        subprocess.run([sys.executable, __file__, "blocks"], check=True)


def case_threads():
    launch_saxpy(200, evened, BLOCK=64)
    threads = [threading.Thread(target=lambda: [launch_saxpy(200, evened, BLOCK=64) for _ in range(20)]) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def case_savers():
    """Threads that meet shapes and are saved at once."""
    threads = [threading.Thread(target=lambda: [launch_saxpy(n, evened, BLOCK=64) for n in range(100, 110) for _ in range(8)]) for _ in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def case_closes():
    """A program that closes all files, as daemons do, and opens one of its own, which may get any number."""
    launch_saxpy(200, evened, BLOCK=64)
    os.closerange(3, 256)
    with open(os.devnull), open(os.path.join(os.environ["ASCTUNE_CAPTURE"], "own"), "wb") as own:
        others = [os.dup(own.fileno()) for _ in range(16)]
        os.chdir("/")
        launch_saxpy(200, evened, BLOCK=64)
        launch_saxpy(128, evened, BLOCK=64)
    print(len(others), os.stat(os.path.join(os.environ["ASCTUNE_CAPTURE"], "own")).st_size)


def case_full():
    """A disk that is full for a while: a line is written in part, others not at all."""
    launch_saxpy(200, evened, BLOCK=64)
    write, sizes = os.write, [20, -1, -1]

    def full(file, data):
        size = sizes.pop(0) if sizes else len(data)
        if size < 0:
            raise OSError(28, "No space left on device")
        return write(file, data[:size])

    os.write = full
    for _ in range(5):
        launch_saxpy(128, evened, BLOCK=64)


class Event:
    """A launch takes a quarter of a millisecond, the first one a whole one; an event has come when it is asked for the second time."""

    made = 0

    def __init__(self, enable_timing):
        self.number, self.asked, Event.made = Event.made, 0, Event.made + 1

    def record(self):
        assert not Graph.recorded

    def query(self):
        self.asked += 1
        return self.asked > 1

    def elapsed_time(self, end):
        assert end.number == self.number + 1
        return 0.25 if self.number else 1.0


class Graph:
    recorded = False


def case_cuda():
    """On what the recorder takes for a device: the first launch while a graph is recorded, then others."""
    cuda = types.SimpleNamespace(Event=Event, is_current_stream_capturing=lambda: Graph.recorded, is_available=lambda: True,
                                 get_device_name=lambda: "Device of a test")
    sys.modules["torch"] = types.SimpleNamespace(cuda=cuda, __version__="2.0", Tensor=type("Tensor", (), {}))
    library = ctypes.CDLL("libcuda.so.1")
    Graph.recorded = True
    library.forbid_copies(1)
    launch_saxpy(200, evened, BLOCK=64)
    Graph.recorded = False
    library.forbid_copies(0)
    for _ in range(8):
        launch_saxpy(200, evened, BLOCK=64)
    numbered[(1,)](filled([0, 0x55 << 40, (0x55 << 40) + 8], "q", "int64"), filled([0.0]), 3)


def case_dies():
    for _ in range(5):
        launch_saxpy(200, evened, BLOCK=64)
    os.kill(os.getpid(), 9)


def case_raises():
    launch_saxpy(200, evened, BLOCK=64)
    raise SystemExit(7)


def reference(x, y, a, **_):
    return x * a + y


def short(x, **_):
    return x[:3]


def elsewhere(x, **_):
    return {"sum": x}


def more(x, y, **_):
    return x, y


def fails(**_):
    return 1 / 0


globals()["case_" + sys.argv[1]]() if __name__ == "__main__" else None
