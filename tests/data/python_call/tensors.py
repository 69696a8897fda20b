# Checks of python_tensors.t, behind the text of python_call.py.
import tempfile

results = []


def check(name, holds):
    results.append(bool(holds))
    print(f"{'ok' if holds else 'not ok'} {len(results)} - {name}")


def skip(name, reason):
    results.append(True)
    print(f"ok {len(results)} - {name} # SKIP {reason}")


def refused(call, words):
    try:
        call()
    except (Refusal, BufferError, AttributeError) as e:
        return words in str(e)
    return False


memory = (ctypes.c_uint8 * 1024)()
place = ctypes.addressof(memory)


def tensor(kind, host=False, device="cpu"):
    """4 x 3 elements, 8 apart from row to row."""
    return Tensor({"name": "x", "address": place, "type": kind, "shape": [4, 3], "strides": [8, 1], "host": host}, Device(device, 0))


def wanted(kind):
    call = Call.__new__(Call)
    call.device, call.returns, call.tensors = Device("cpu", 0), [{"name": "y", "type": kind, "shape": [4, 3], "strides": [3, 1]}], []
    return call


def try_numpy():
    import numpy

    for kind, (_, _, bits, _) in TYPES.items():
        array = numpy.asarray(tensor(kind))
        memory[:] = [0] * 1024
        array[1, 2] = 1
        at = (8 + 2) * bits // 8
        check(f"numpy: {kind} lies where it is", array.ctypes.data == place and array.strides == (bits, bits // 8) and any(memory[at : at + bits // 8]) and sum(map(bool, memory)) <= 2)
    for kind, dtype in (("f32", "float32"), ("bf16", "uint16"), ("f8e5m2", "uint8"), ("bool", "bool")):
        made = numpy.zeros((4, 3), dtype)
        check(f"numpy: {dtype} comes back as {kind}", wanted(kind).collect(made) == {"results": [{"address": made.ctypes.data, "strides": [3, 1]}]})
    turned = numpy.zeros((3, 4), "float32").T[::-1]
    check("numpy: turned over", wanted("f32").collect(turned) == {"results": [{"address": turned.ctypes.data, "strides": [-1, 4]}]})
    check("numpy: another type", refused(lambda: wanted("f32").collect(numpy.zeros((4, 3))), "it returned float64[4, 3]: y is float32[4, 3]"))
    made = numpy.zeros((4, 3), "float32")
    made.flags.writeable = False
    check("numpy: an array that is read-only by its flag", wanted("f32").collect(made)["results"][0]["address"] == made.ctypes.data)
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(48))
        file.flush()
        mapped = numpy.memmap(file.name, "float32", "r", shape=(4, 3))
        check("numpy: a file's memory", refused(lambda: wanted("f32").collect(mapped), "it returned float32[4, 3] in memory that nobody can write to"))
    check("numpy: a number is no tensor", refused(lambda: wanted("f32").collect(numpy.float32(1)), "it returned float32, no tensor"))
    check("a tensor of a GPU is no array", refused(lambda: tensor("f32", device="cuda").__array_interface__, "has no attribute '__array_interface__'"))
    check("nor a struct of one", not hasattr(tensor("f32", device="cuda"), "__array_struct__"))
    bare = tensor("f32")
    bare.__dict__.pop("__array_struct__")
    check("numpy: a dictionary says the same", numpy.asarray(bare).__array_interface__ == numpy.asarray(tensor("f32")).__array_interface__)
    check("one of the host is", numpy.asarray(tensor("f32", host=True, device="cuda")).ctypes.data == place)


def try_torch():
    import torch

    for kind, (name, _, bits, _) in TYPES.items():
        if not hasattr(torch, name):
            skip(f"torch: {kind}", f"torch has no {name}")
            continue
        view = view_of_torch(tensor(kind))
        check(f"torch: {kind} lies where it is", (view.data_ptr(), str(view.dtype), view.stride(), tuple(view.shape)) == (place, f"torch.{name}", (8, 1), (4, 3)))
        check(f"torch: {kind} comes back", wanted(kind).collect((torch.zeros(4, 3).to(view.dtype),))["results"][0]["strides"] == [3, 1])
    view = view_of_torch(tensor("f32"))
    check("torch: nobody else has its memory", not has_aliases(view))
    part = view[1:]
    check("torch: a view has", has_aliases(view))
    part = torch.nn.Parameter(view)
    check("torch: and a parameter", has_aliases(view))
    del part
    check("torch: until it is gone", not has_aliases(view))
    memory[:] = [0] * 1024
    view[1, 2] = 1
    check("torch: it is written to", list(memory[40:44]) == [0, 0, 128, 63] and not any(memory[:40]))
    check("torch: imported as a library does", torch.from_dlpack(tensor("bf16")).data_ptr() == place)
    call = wanted("f32")
    call.tensors = [tensor("f32")]
    check("torch: a view of what was given", refused(lambda: call.collect(torch.from_dlpack(tensor("f32"))[:, :3]), "a view of x"))
    grown = torch.zeros(4, 3, requires_grad=True) * 2
    check("torch: one with a gradient", wanted("f32").collect(grown)["results"][0]["address"] == grown.data_ptr())


check("a copy is refused", refused(lambda: tensor("f32").__dlpack__(copy=True), "stays where it lies"))
check("so is another device", refused(lambda: tensor("f32").__dlpack__(dl_device=(2, 0)), "stays where it lies"))
check("devices have DLPack's numbers", [tensor("f32", device=kind).__dlpack_device__() for kind in ("cpu", "cuda", "npu")] == [(1, 0), (2, 0), (12, 0)])
check("and names", [str(tensor("f32", device=kind).device) for kind in ("cpu", "cuda")] == ["cpu", "cuda:0"])
for names in ("call", "v0", "eps"), ("lambda", "eps"), ("not a name",), ():
    named = {name: i for i, name in enumerate(names)}
    check(f"arguments are bound: {', '.join(names)}", bind(lambda *args, **keywords: (args, keywords), (7, None), named)() == ((7, None), named))


class Owned:
    """A result that lies in memory of its capsule's, as those of JAX and of array-api-strict do."""

    def __init__(self):
        self.managed = managed_of(tensor("f32"), TYPES["f32"][1])
        self.freed = 0
        self.destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self.free)

    def free(self, _):
        self.freed += 1
        self.managed.rank, self.managed.data = 0, None

    def __dlpack__(self):
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", ctypes.cast(self.destructor, ctypes.c_void_p))


class Duck:
    """A tensor of nobody's library, whose device is a text."""

    shape, dtype, device = (4, 3), "float32", "cpu"

    def data_ptr(self):
        return place

    def stride(self):
        return (8, 1)


call = wanted("f32")
check("a device may be a text", call.collect(Duck()) == {"results": [{"address": place, "strides": [8, 1]}]})
call.returns = [call.returns[0], {**call.returns[0], "name": "z"}]
check("one tensor is not two", refused(lambda: call.collect((Duck(), Duck())), "it returned for z what it returned for y: expected a tensor of its own"))

owned, other, call = Owned(), Owned(), wanted("f32")
check("what a capsule owns is found", call.collect(owned) == {"results": [{"address": place, "strides": [8, 1]}]})
check("and is there until the next result", not owned.freed and call.collect(other) and owned.freed == 1)
call.capsules.clear()  # their destructors are of this text
check("a deleter that is called does nothing", ctypes.CFUNCTYPE(None, ctypes.c_void_p)(owned.managed.deleter)(ctypes.addressof(owned.managed)) is None)
for library, attempt in (("numpy", try_numpy), ("torch", try_torch)):
    if importlib.util.find_spec(library):
        attempt()
    else:
        skip(library, "it is not here")
print(f"1..{len(results)}")
sys.exit(not all(results))
