"""Calls Python functions as kernels are launched: tensors for them, arguments bound once, what they return looked at (tuner/device/vendor/python_hooks.h)."""

import contextlib
import ctypes
import functools
import gc
import importlib
import inspect
import json
import keyword
import os
import sys
import traceback

HOOKS_VERSION = 1
TEXT_CHARACTERS = 2000

# Name of each type here: its name elsewhere, its code in DLPack 1.2 and its bits, its name in numpy's interface, which has integers for what numpy has not.
TYPES = {
    "f64": ("float64", 2, 64, "<f8"),
    "f32": ("float32", 2, 32, "<f4"),
    "f16": ("float16", 2, 16, "<f2"),
    "bf16": ("bfloat16", 4, 16, "<u2"),
    "f8e4m3": ("float8_e4m3fn", 10, 8, "|u1"),
    "f8e5m2": ("float8_e5m2", 12, 8, "|u1"),
    "i64": ("int64", 0, 64, "<i8"),
    "i32": ("int32", 0, 32, "<i4"),
    "i16": ("int16", 0, 16, "<i2"),
    "i8": ("int8", 0, 8, "|i1"),
    "u64": ("uint64", 1, 64, "<u8"),
    "u32": ("uint32", 1, 32, "<u4"),
    "u16": ("uint16", 1, 16, "<u2"),
    "u8": ("uint8", 1, 8, "|u1"),
    "bool": ("bool", 6, 8, "|b1"),
}
NUMPY_HAS_NOT = {"bf16": "uint16", "f8e4m3": "uint8", "f8e5m2": "uint8"}  # what stands for them
DLPACK_DEVICES = {"cpu": 1, "cuda": 2, "npu": 12}  # kDLCPU, kDLCUDA, kDLExtDev


class Refusal(Exception):
    """A failure in words of its own, of a kind that the worker knows."""

    def __init__(self, text, kind="input"):
        super().__init__(text)
        self.kind = kind


def words_of(exception, trace=None):
    """Its last line and where it was raised: in the innermost file that is no library's, nor of those that come with Python."""
    lines = traceback.format_exception_only(type(exception), exception)
    named = [line for line in lines if type(exception).__name__ in line.partition(":")[0]]  # notes may follow
    line = (named or lines)[-1].strip().partition("\n")[0]
    frames = traceback.extract_tb(trace if trace else exception.__traceback__)
    frames = [frame for frame in frames if not frame.filename.startswith("<")]
    libraries = os.path.dirname(os.__file__) + os.sep
    own = [frame for frame in frames if "-packages" + os.sep not in frame.filename and not frame.filename.startswith(libraries)]
    place = (own or frames)[-1:]
    where = f" ({os.path.basename(place[0].filename)}, line {place[0].lineno})" if place else ""
    if isinstance(exception, SyntaxError) and exception.filename:
        where = f" ({os.path.basename(exception.filename)}, line {exception.lineno})"
    return (without_package(line) + where)[:TEXT_CHARACTERS]


# ---- tensors ----


class ManagedTensor(ctypes.Structure):
    """DLManagedTensor of DLPack 1.2, its inner structs laid out flat."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


# Some importers call the deleter without looking whether there is one: a function of C that takes a word and does nothing.
no_deleter = ctypes.cast(ctypes.CDLL(None).labs, ctypes.c_void_p).value
exported = []  # whoever imports a tensor may look at its struct as long as the process lives
new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))
read_capsule = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


class Device:
    def __init__(self, kind, index):
        self.type = kind
        self.index = index

    def __str__(self):
        return self.type if self.type == "cpu" else f"{self.type}:{self.index}"

    def __repr__(self):
        return f"device({str(self)!r})"

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


class Tensor:
    """A tensor of the workload where it lies: no copy, and no more of it than libraries ask for."""

    def __init__(self, given, device):
        self.shape = tuple(given["shape"])
        self.device = Device("cpu", 0) if given["host"] else device
        self.dtype, self._code, self._bits, self._typestr = TYPES[given["type"]]
        self._name = given["name"]
        self._address = given["address"]
        self._strides = tuple(given["strides"])
        self._managed = None
        if self.device.type == "cpu":
            # numpy looks for this one first: by __array_interface__ asarray takes 3.9 us, by this one 0.9.
            self._interface = interface_of(self)
            self.__array_struct__ = new_capsule(ctypes.addressof(self._interface), None, None)

    def __repr__(self):
        return f"{self.dtype}{list(self.shape)}"

    def data_ptr(self):
        return self._address

    def stride(self, dim=None):
        return self._strides if dim is None else self._strides[dim]

    def __getattr__(self, name):
        if name == "__array_interface__" and self.device.type == "cpu":
            size = self._bits // 8
            return {
                "data": (self._address, False),
                "shape": self.shape,
                "strides": tuple(step * size for step in self._strides),
                "typestr": self._typestr,
                "version": 3,
            }
        raise AttributeError(f"a tensor of asctune has no attribute {name!r}; it has data_ptr, shape, dtype, device, stride, and gives DLPack")

    def __dlpack_device__(self):
        return DLPACK_DEVICES[self.device.type], self.device.index

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("a tensor of asctune stays where it lies")
        if self._managed is None:
            self._managed = managed_of(self, self._code)
        return new_capsule(ctypes.addressof(self._managed), b"dltensor", None)


def managed_of(tensor, code):
    rank = len(tensor.shape)
    managed = ManagedTensor(
        data=tensor._address,
        device_type=DLPACK_DEVICES[tensor.device.type],
        device_id=tensor.device.index,
        rank=rank,
        code=code,
        bits=tensor._bits,
        lanes=1,
        shape=(ctypes.c_int64 * rank)(*tensor.shape),
        strides=(ctypes.c_int64 * rank)(*tensor._strides),
        deleter=no_deleter,
    )
    exported.append(managed)
    return managed


class ArrayInterface(ctypes.Structure):
    """PyArrayInterface of numpy's array interface, version 3."""

    _fields_ = [
        ("two", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("kind", ctypes.c_char),
        ("size", ctypes.c_int),
        ("flags", ctypes.c_int),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("data", ctypes.c_void_p),
        ("descr", ctypes.c_void_p),
    ]


def interface_of(tensor):
    rank, size = len(tensor.shape), tensor._bits // 8
    aligned, native, writable = 0x100, 0x200, 0x400  # numpy finds by itself whether it is contiguous
    return ArrayInterface(
        two=2,
        rank=rank,
        kind=tensor._typestr[1].encode(),
        size=size,
        flags=aligned | native | writable,
        shape=(ctypes.c_ssize_t * rank)(*tensor.shape),
        strides=(ctypes.c_ssize_t * rank)(*(step * size for step in tensor._strides)),
        data=tensor._address,
    )


class Bits:
    """A tensor as unsigned integers of its size, for a library that has its type but does not import it."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **_):
        return new_capsule(ctypes.addressof(managed_of(self.tensor, 1)), b"dltensor", None)


def view_of_torch(tensor):
    try:
        import torch
    except ImportError as e:
        raise Refusal(f"tensors of PyTorch are asked for: {words_of(e)}", "absent") from None
    if tensor._bits == 8 and tensor.dtype.startswith("float"):  # imported by DLPack from 2.12 on
        return torch.from_dlpack(Bits(tensor)).view(getattr(torch, tensor.dtype))
    return torch.from_dlpack(tensor)


def has_aliases(tensor):
    """Whether another tensor, a view or a parameter, lies in a tensor's memory."""
    import torch

    count = getattr(torch._C, "_storage_Use_Count", None)  # older builds for CPUs have none: views are not seen there
    if count is None:
        return False
    storage = tensor.untyped_storage()
    return count(storage._cdata) > 2  # the tensor's own, and that of `storage`


# ---- functions ----


@contextlib.contextmanager
def without_collector():
    """What imports make stays: to look for what does not takes a sixth of the time of PyTorch's."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def find_function(place):
    """The function of MODULE:FUNCTION or /FILE.py:FUNCTION."""
    source, _, name = place.rpartition(":")
    try:
        with without_collector():
            found = import_file(source, libraries) if source.startswith("/") else importlib.import_module(source)
    except ModuleNotFoundError as e:
        if e.name and (source.startswith("/") or source == e.name or source.startswith(e.name + ".")):
            raise Refusal(f"{sys.executable} has no module {without_package(e.name)}", "absent") from None
        raise Refusal(f"import of {os.path.basename(source)}: {words_of(e)}") from None
    except BaseException as e:  # of SystemExit, too
        raise Refusal(f"import of {os.path.basename(source)}: {words_of(e)}") from None
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Refusal(f"{os.path.basename(source)} has no function {name}") from None
        except BaseException as e:  # a module may make it when it is asked for
            raise Refusal(f"{os.path.basename(source)}: {name}: {words_of(e)}") from None
    if not callable(found):
        raise Refusal(f"{os.path.basename(source)}: {name} is no function but {type(found).__name__}")
    return found


def word_of(value):
    return repr(value) if isinstance(value, (Tensor, str, int, float, tuple, type(None))) else f"tensor {value.dtype}{list(value.shape)}"


def check_signature(function, place, args, keywords):
    try:
        signature = inspect.signature(function, follow_wrapped=False)  # what a wrapper adds, or takes itself, is its own
    except (TypeError, ValueError):  # of a function of C: its first call says
        return
    try:
        signature.bind(*args, **keywords)
    except TypeError as e:
        given = ", ".join([*map(word_of, args), *(f"{name}={word_of(value)}" for name, value in keywords.items())])
        raise Refusal(f"{place.rpartition(':')[2]}{signature} does not take ({given}): {e}") from None


def check_available(place, args, keywords):
    """Asks a function whether the call can be made: a text says why not."""
    function = find_function(place)
    check_signature(function, place, args, keywords)
    try:
        answer = function(*args, **keywords)
    except BaseException as e:
        raise Refusal(f"{place.rpartition(':')[2]}: {words_of(e)}") from None
    if isinstance(answer, str) and answer:
        raise Refusal(answer[:TEXT_CHARACTERS], "absent")
    if answer is False:
        raise Refusal(f"{place.rpartition(':')[2]} says no", "absent")


@functools.lru_cache(maxsize=None)
def threadpoolctl():
    try:
        return importlib.import_module("threadpoolctl")
    except ImportError:
        return None


def limit_threads(n):
    """Has the libraries that are loaded work with so many threads; says what is missing."""
    torch = sys.modules.get("torch")
    if torch:
        torch.set_num_threads(n)
    if threadpoolctl():
        threadpoolctl().threadpool_limits(limits=n)
    elif not torch:
        return f"{sys.executable} has no threadpoolctl: libraries have as many threads as they choose, not {n}"
    return ""


def use_stream(device, stream):
    """Makes the device's queue the one that libraries launch on."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if device.type == "cuda" and torch:
        torch.cuda.set_stream(torch.cuda.ExternalStream(stream, device=device.index))
    if device.type == "cuda" and cupy:
        cupy.cuda.ExternalStream(stream, device.index).use()


# ---- calls ----


def bind(function, args, keywords):
    """A function without arguments that calls one as a program does whose text has the arguments: functools.partial copies keywords for each call, and compares names
    that were read from a file letter by letter."""
    if not all(name.isidentifier() and not keyword.iskeyword(name) for name in keywords):
        return functools.partial(function, *args, **keywords)
    values = [f"v{i}" for i in range(len(args) + len(keywords))]
    given = [*values[: len(args)], *map("=".join, zip(keywords, values[len(args) :]))]
    return eval(f"lambda {', '.join(['call', *values])}: lambda: call({', '.join(given)})", {})(function, *args, *keywords.values())


class Call:
    def __init__(self, request):
        self.place = request["function"]
        self.device = Device(*request["device"])
        self.threads = request["threads"]
        self.stream = request["stream"]
        self.returns = request["returns"]
        self.capsules = []  # of the last results, which may lie in memory that a capsule owns
        self.function = function = find_function(self.place)
        args, keywords = self.take_arguments(request)
        if request["available"]:
            check_available(request["available"], args, keywords)
        check_signature(function, self.place, args, keywords)
        self.note = limit_threads(self.threads) if self.threads else ""
        use_stream(self.device, self.stream)
        self.callable = bind(function, args, keywords)
        self.made = request["make"]
        if self.made:
            self.make()

    def take_arguments(self, request):
        """What the function is passed, by place and by keyword; its tensors are noted."""
        self.tensors = []
        self.views = []
        args, keywords = [], {}
        for argument in request["arguments"]:
            value = self.value_of(argument, request["torch"])
            if "name" in argument:
                keywords[argument["name"]] = value
            else:
                args.append(value)
        return args, keywords

    def move(self, request):
        """Tensors are at other addresses: new ones are bound. What was made of torch's, perhaps compiled, keeps these, and they change; of others, and by views of
        these, it may have kept addresses."""
        views = self.views
        args, keywords = self.take_arguments(request)
        self.returns = request["returns"]
        if self.made and request["torch"] and not any(map(has_aliases, views)):
            for old, new in zip(views, self.views):
                old.set_(new)
            self.views = views
            return
        self.callable = bind(self.function, args, keywords)
        if self.made:
            self.make()

    def value_of(self, argument, torch):
        if "tensor" in argument:
            tensor = Tensor(argument["tensor"], self.device)
            self.tensors.append(tensor)
            if not torch:
                return tensor
            self.views.append(view_of_torch(tensor))
            return self.views[-1]
        return tuple(argument["list"]) if "list" in argument else argument.get("value")

    def make(self):
        try:
            with without_collector():  # torch.compile imports, too
                made = self.callable()
        except BaseException as e:
            raise Refusal(f"{self.place.rpartition(':')[2]}: {words_of(e)}") from None
        if not callable(made):
            raise Refusal(f'"make": {self.place.rpartition(":")[2]} gave back {type(made).__name__}, expected a function without arguments')
        self.callable = made

    def ready(self):
        if self.threads:
            limit_threads(self.threads)

    def collect(self, result):
        wanted, self.capsules = self.returns, []
        if len(wanted) == 1 and not isinstance(result, (tuple, list)):
            result = (result,)
        if not isinstance(result, (tuple, list)):
            raise Refusal(f"it returned {word_of_kind(result)}, expected {len(wanted)} tensors: {names_of(wanted)}")
        if len(result) != len(wanted):
            raise Refusal(f"it returned {len(result)} values, expected {len(wanted)}: {names_of(wanted)}")
        found = [self.look(*pair) for pair in zip(result, wanted)]
        for i, place in enumerate(found):
            if place in found[:i] and 0 not in wanted[i]["shape"]:
                raise Refusal(f"it returned for {wanted[i]['name']} what it returned for {wanted[found.index(place)]['name']}: expected a tensor of its own")
        return {"results": found}

    def look(self, value, wanted):
        """Where a result lies, once it is what is wanted."""
        expected = f"{wanted['name']} is {TYPES[wanted['type']][0]}{wanted['shape']}"
        found = describe(value, self.capsules)
        if not found:
            raise Refusal(f"it returned {word_of_kind(value)}, no tensor: {expected}")
        address, kind, shape, strides, device = found
        if device != str(self.device):
            raise Refusal(f"it returned a tensor on {device}: {wanted['name']} is on {self.device}")
        if kind not in (TYPES[wanted["type"]][0], NUMPY_HAS_NOT.get(wanted["type"])) or list(shape) != wanted["shape"]:
            raise Refusal(f"it returned {kind}{list(shape)}: {expected}")
        size = TYPES[wanted["type"]][2] // 8
        low, high = range_of(address, shape, strides, size)
        for tensor in self.tensors:
            begin, end = range_of(tensor._address, tensor.shape, tensor._strides, tensor._bits // 8)
            if low < end and begin < high:
                raise Refusal(f"it returned for {wanted['name']} a view of {tensor._name}, which it was given: expected a tensor of its own")
        return {"address": address, "strides": list(strides)}


def word_of_kind(value):
    return "None" if value is None else type(value).__name__


def names_of(tensors):
    return ", ".join(tensor["name"] for tensor in tensors)


def range_of(address, shape, strides, size):
    """First byte of a tensor and the one behind its last."""
    if 0 in shape:
        return address, address
    steps = [(n - 1) * step * size for n, step in zip(shape, strides)]
    return address + sum(step for step in steps if step < 0), address + sum(step for step in steps if step > 0) + size


def describe(value, capsules):
    """Address, type, shape, strides in elements and device of a tensor of any library; None: it is none. What it gives by DLPack is there as long as its capsule, which is
    added to a list."""
    kind = str(getattr(value, "dtype", "")).rpartition(".")[2]
    interface = getattr(value, "__array_interface__", None) if hasattr(value, "__setitem__") else None
    if hasattr(value, "data_ptr") and hasattr(value, "stride"):
        device = value.device
        if isinstance(device, str):
            where = device
        else:
            where = device.type if device.type == "cpu" or device.index is None else f"{device.type}:{device.index}"
        return value.data_ptr(), kind, tuple(value.shape), tuple(value.stride()), where
    if interface:
        size = value.dtype.itemsize
        if any(step % size for step in value.strides):
            raise Refusal(f"it returned {kind}{list(value.shape)} whose elements are not aligned")
        if interface["data"][1] and 0 not in value.shape and not is_writable(interface["data"][0]):
            raise Refusal(f"it returned {kind}{list(value.shape)} in memory that nobody can write to, as that of a file: expected a tensor of its own")
        return interface["data"][0], kind, tuple(value.shape), tuple(step // size for step in value.strides), "cpu"
    if not hasattr(value, "__dlpack__"):
        return None
    capsules.append(value.__dlpack__())
    managed = ManagedTensor.from_address(read_capsule(capsules[-1], b"dltensor"))
    shape = tuple(managed.shape[: managed.rank])
    strides = tuple(managed.strides[: managed.rank]) if managed.strides else dense_strides(shape)
    kinds = [name for name, code, bits, _ in TYPES.values() if (code, bits) == (managed.code, managed.bits)]
    devices = [f"{name}:{managed.device_id}" if name != "cpu" else name for name, number in DLPACK_DEVICES.items() if number == managed.device_type]
    return (managed.data or 0) + managed.offset, (kinds or [kind])[0], shape, strides, (devices or [f"device {managed.device_type}"])[0]


def is_writable(address):
    """Whether the system lets this process write to a place in memory: an array may be read-only by its own flag alone."""
    with open("/proc/self/maps") as file:
        for line in file:
            begin, end = (int(word, 16) for word in line.split()[0].split("-"))
            if begin <= address < end:
                return line.split()[1][1] == "w"
    return False


def dense_strides(shape):
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    return tuple(strides)


# ---- hooks ----

PREPARE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
MOVE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p)
READY = ctypes.CFUNCTYPE(None, ctypes.c_int64)
COLLECT = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
EXPLAIN = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Hooks(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int64),
        ("prepare", PREPARE),
        ("move", MOVE),
        ("ready", READY),
        ("collect", COLLECT),
        ("explain", EXPLAIN),
        ("release", READY),
    ]


calls = {}  # by number
kept = {}  # the text that the last hook returned


def keep_text(text):
    kept["text"] = ctypes.create_string_buffer(text.encode("utf-8", "replace").replace(b"\0", b" "))
    return ctypes.addressof(kept["text"])


def answer(function, *args):
    """The address of what a function answers, as JSON: an exception is an answer too."""
    try:
        return keep_text(json.dumps(function(*args)))
    except Refusal as e:
        failure = e.kind, str(e)
    except MemoryError:
        failure = "nomem", "out of memory"
    except BaseException as e:
        failure = "input", words_of(e)
    return keep_text(json.dumps({"failure": failure[0], "text": failure[1]}))


def prepare(text):
    call = Call(json.loads(text))
    kept["number"] = kept.get("number", 0) + 1
    calls[kept["number"]] = call
    return {"call": kept["number"], "callable": id(call.callable), "note": call.note}


def move(number, text):
    calls[number].move(json.loads(text))
    return {"callable": id(calls[number].callable)}


def object_at(address):
    return ctypes.cast(address, ctypes.py_object).value if address else None


def explain(kind, value, trace):
    try:
        exception = object_at(value)
        return keep_text(words_of(exception, object_at(trace)) if isinstance(exception, BaseException) else str(object_at(kind)))
    except BaseException:  # of an exception that cannot be printed
        return keep_text("an exception without words")


def ready(number):
    try:
        calls[number].ready()
    except BaseException as e:
        print(f"settings of {calls[number].place}: {words_of(e)}", file=sys.stderr)


def make_hooks():
    """The table of a worker, which lives as long as the process."""
    kept["hooks"] = Hooks(
        HOOKS_VERSION,
        PREPARE(lambda text: answer(prepare, text)),
        MOVE(lambda number, text: answer(move, number, text)),
        READY(ready),
        COLLECT(lambda number, result: answer(lambda: calls[number].collect(object_at(result)))),
        EXPLAIN(explain),
        READY(lambda number: calls.pop(number, None) and None),
    )
    return kept["hooks"]
