"""Functions that copy x to y on a GPU through the driver alone, each in a way of its own: streams and threads that nobody has told anybody of, fills, waits."""

import ctypes
import threading

cuda = ctypes.CDLL("libcuda.so.1")
ADDRESS, SIZE, POINTER = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p
cuda.cuMemcpyDtoDAsync_v2.argtypes = ADDRESS, ADDRESS, SIZE, POINTER
cuda.cuMemsetD8Async.argtypes = ADDRESS, ctypes.c_ubyte, SIZE, POINTER
cuda.cuStreamCreate.argtypes = POINTER, ctypes.c_uint
cuda.cuCtxGetCurrent.argtypes = (POINTER,)
cuda.cuCtxSetCurrent.argtypes = (POINTER,)
INDEPENDENT = 1  # CU_STREAM_NON_BLOCKING
state = {"calls": 0}


def check(code, what):
    if code:
        raise RuntimeError(f"{what} returned {code}")


def copy(x, y, begin, end, stream):
    """Elements from begin to end, 4 bytes each."""
    code = cuda.cuMemcpyDtoDAsync_v2(y.data_ptr() + 4 * begin, x.data_ptr() + 4 * begin, 4 * (end - begin), stream)
    check(code, "cuMemcpyDtoDAsync")


def other_stream():
    if "stream" not in state:
        made = ctypes.c_void_p()
        check(cuda.cuStreamCreate(ctypes.byref(made), INDEPENDENT), "cuStreamCreate")
        state["stream"] = made
    return state["stream"]


def one(x, y, *, stream):
    copy(x, y, 0, x.shape[0], stream)


def filled(x, y, *, stream):
    check(cuda.cuMemsetD8Async(y.data_ptr(), 0, 4 * x.shape[0], stream), "cuMemsetD8Async")
    copy(x, y, 0, x.shape[0], stream)


def streams(x, y, *, stream):
    half = x.shape[0] // 2
    copy(x, y, 0, half, stream)
    copy(x, y, half, x.shape[0], other_stream())


def threads(x, y, *, stream):
    context = ctypes.c_void_p()
    check(cuda.cuCtxGetCurrent(ctypes.byref(context)), "cuCtxGetCurrent")

    def work():
        check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
        copy(x, y, 0, x.shape[0], stream)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def waits(x, y, *, stream):
    copy(x, y, 0, x.shape[0], stream)
    check(cuda.cuCtxSynchronize(), "cuCtxSynchronize")


def idle(x, y, *, stream):
    """Nothing on the device."""


def grows(x, y, *, stream):
    state["calls"] += 1
    for _ in range(state["calls"]):
        copy(x, y, 0, x.shape[0], stream)
