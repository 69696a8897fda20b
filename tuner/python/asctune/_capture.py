"""The recorder of `asctune capture`: sees every Triton launch of the program that it runs in, and writes what is needed to launch again.

A launch passes CompiledKernel.launch_metadata on both of its ways (JITFunction.run, and a compiled kernel by itself, as FlagGems does), with a hook set or
not: that is wrapped. A launch of a known shape ends there: its key is looked up, its number counted. A new shape is a problem (Recorder.meet): what the
program called is found on the stack, so that grid, heuristics and pre_hooks are asked about every configuration without a launch. Some launches are timed, and
saved before and after (Problem.attend). A record is a line of JSON, written at once; docs/design/capture.md has them.

The program gets the same bits and its own exit status: what fails in here is counted as skipped, with its reason."""

from __future__ import annotations

import atexit
import contextlib
import copy
import ctypes
import fcntl
import fnmatch
import functools
import hashlib
import importlib.metadata
import itertools
import json
import math
import os
import random
import re
import struct
import sys
import threading
import time
from collections import Counter, UserDict
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

MOST_PROBLEMS = 256  # of a kernel: shapes of which there are more never come again
MOST_LIKE = 16  # problems that differ in numbers alone: seeds and steps are others at each call
MOST_ROWS = 4096  # of a table that is widened
SETS = 3  # calls of a problem that are saved
PAUSE = 300_000  # cycles for which the GPU waits before a timed launch, some 0.2 ms: the kernel is queued by then, and no time of the host is between events
BLOCK = re.compile("block|tile|chunk|^b[a-z0-9]?$", re.IGNORECASE)  # a constant that says how much one block of the grid does
INDUCTOR = "launched by torch.compile"


class Unfit(ValueError):
    """Says that something cannot be recorded; the text is the reason."""


def by_name(answer: Any, outputs: List[str], are: str) -> Dict[str, Any]:
    """Outputs that a user's function returns by name, or in the order of `outputs`."""
    given = answer if isinstance(answer, (dict, tuple, list)) else (answer,)
    if not isinstance(given, dict) and len(given) != len(outputs):
        raise Unfit(f"the reference returns {len(given)} outputs, and {are} {', '.join(outputs) or 'nothing'}: return them by name, as a dictionary")
    return given if isinstance(given, dict) else dict(zip(outputs, given))


# ---- memory and arguments ----


def cuda(name: str, *args: Any) -> int:
    """A call of the driver's own: no allocation, no operator that the program may have replaced."""
    return getattr(ctypes.CDLL("libcuda.so.1"), name)(*(ctypes.c_void_p(arg) if isinstance(arg, int) else arg for arg in args))


def device() -> Tuple[str, Optional[str]]:
    """Kind and model of the device in use; no model where there is none."""
    torch = sys.modules.get("torch")
    return "cuda", torch.cuda.get_device_name() if torch and torch.cuda.is_available() else None


def type_name(value: Any) -> str:
    """The name that a workload has for a type of torch or Triton; any other thing's text."""
    text = re.sub(r"^torch\.", "", str(value))
    text = re.sub(r"^(?:float|fp)(?=\d+$)", "f", re.sub(r"^(u?)int(?=8|16|32|64)", lambda found: found[1] or "i", text))
    return {"bfloat16": "bf16", "int1": "bool", "float8_e4m3fn": "f8e4m3", "fp8e4nv": "f8e4m3", "float8_e5m2": "f8e5m2", "fp8e5": "f8e5m2"}.get(text, text)


def plain(name: str, value: Any) -> Any:
    """A constant as JSON has it."""
    value = getattr(value, "value", value)
    if type(value).__name__ == "dtype":
        return {"dtype": type_name(value)}
    if not (value is None or isinstance(value, (bool, int, str)) or isinstance(value, float) and math.isfinite(value)):
        raise Unfit(f"constant {name} is {'a function' if callable(value) or hasattr(value, 'fn') else repr(value)[:60]}")
    return value


class View:
    """Place of the elements of a tensor, or of a descriptor's. The tensor itself is not held."""

    def __init__(self, value: Any) -> None:
        base = value.base if hasattr(value, "block_shape") else value
        self.type, self.bytes, self.address = type_name(base.dtype), base.element_size(), base.data_ptr()
        self.shape = [int(n) for n in value.shape]
        self.strides = [int(n) for n in (base.stride() if base is value else value.strides)]
        self.memory = base.untyped_storage().data_ptr() if hasattr(base, "untyped_storage") else self.address
        self.place = getattr(getattr(base, "device", None), "type", "cpu")
        self.is_real = self.type.startswith(("f", "bf"))
        self.size = math.prod(self.shape) * self.bytes
        # Bytes from the first element to the end of the last.
        self.extent = self.size and (sum((n - 1) * step for n, step in zip(self.shape, self.strides)) + 1) * self.bytes

    def read(self, stream: int, most: Optional[int] = None) -> bytes:
        """The elements in their logical order; or the first `most` bytes as they lie there."""
        data = bytearray(self.extent if most is None else min(most, self.extent))
        if not data:
            return b""
        to, mode, wrong = (ctypes.c_char * len(data)).from_buffer(data), ctypes.c_int(2), 0
        if self.place == "cuda":
            cuda("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))  # 2 is relaxed: a graph that another thread records goes on
            wrong = cuda("cuMemcpyDtoHAsync_v2", to, self.address, len(data), stream) or cuda("cuStreamSynchronize", stream)
            cuda("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
        elif self.place == "cpu":
            ctypes.memmove(to, self.address, len(data))
        if wrong or self.place not in ("cpu", "cuda"):
            raise Unfit(f"memory of {self.place} cannot be read: status {wrong}")
        if most is not None:
            return data
        import numpy

        items = numpy.frombuffer(data, f"V{self.bytes}")
        items = numpy.lib.stride_tricks.as_strided(items, self.shape, [step * self.bytes for step in self.strides])
        return data if items.flags.c_contiguous else items.tobytes()

    def numbers(self, data: bytes) -> Any:
        """Elements as an array: of float64 if they are real."""
        import numpy

        with numpy.errstate(all="ignore"):
            if self.type == "bf16":
                return (numpy.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").astype("f8")
            if self.type.startswith("f8e"):  # the bits moved into an f16 are the number, or 2^-8 of it
                codes = numpy.frombuffer(data, "u1").astype("<u2")
                if self.type == "f8e5m2":
                    return (codes << 8).view("<f2").astype("f8")
                found = ((codes & 0x80) << 8 | (codes & 0x7F) << 7).view("<f2").astype("f8") * 256
                return numpy.where(codes & 0x7F == 0x7F, math.nan, found)
            return numpy.frombuffer(data, f"<{self.type[0]}{self.bytes}").astype("f8" if self.is_real else f"{self.type[0]}{self.bytes}")

    def range(self, stream: int) -> Optional[List[float]]:
        """Least, most, mean and standard deviation of the finite ones among the first elements: what is told of a tensor that is not saved."""
        if not self.size or self.type.startswith("float8"):
            return None
        numbers = self.numbers(self.read(stream, 1 << 16))
        numbers = numbers[abs(numbers) < math.inf]
        return [float(n) for n in (numbers.min(), numbers.max(), numbers.mean(), numbers.std())] if len(numbers) else None


def arguments_of(fn: Any, values: tuple) -> Tuple[list, Dict[str, View], Optional[str]]:
    """The arguments as records have them, the tensors among them by name, and why they cannot be passed again, if so."""
    records, views, reasons = [], {}, []
    for name, value in [(p.name, value) for p, value in zip(fn.params, values) if not p.is_constexpr]:
        record: dict = {}
        if hasattr(value, "data_ptr") or hasattr(value, "block_shape"):
            views[name] = view = View(value)
            record = {"tensor": view.type, "shape": view.shape, "strides": view.strides, "aligned": view.address % 16 == 0}
            if hasattr(value, "block_shape"):
                record = {"descriptor": record, "box": [int(n) for n in value.block_shape], "padding": getattr(value, "padding", "zero")}
        elif value is None or isinstance(value, bool):
            record = {"none": True} if value is None else {"truth": value}
        elif isinstance(value, (int, float)):
            fits = math.isfinite(value) if isinstance(value, float) else abs(value) <= 2**53
            record = {"real" if isinstance(value, float) else "int": value if fits else str(value)}
            reasons += [] if fits else [f"argument {name} is {value}, which is not finite" if isinstance(value, float) else f"argument {name} is {value}, beyond 2^53"]
        else:
            reasons.append(f"argument {name} is a {type(value).__name__}")
        records.append({"name": name, **record})
    memories = list(dict.fromkeys(view.memory for view in views.values()))
    for record in [record for record in records if record["name"] in views]:
        # A view of a pool does not need the pool: a memory begins where the call's first tensor in it does, rounded down to a line of the cache.
        view = views[record["name"]]
        start = min(other.address for other in views.values() if other.memory == view.memory) // 128 * 128
        record.get("descriptor", record).update(storage=memories.index(view.memory), offset=view.address - start)
    return records, views, reasons[0] if reasons else None


# ---- what Triton passes for each configuration ----


def links(kernel: Any) -> Iterator[Any]:
    """A kernel behind what stands around it, such as an autotuner: the outermost first, the kernel's function last."""
    while kernel is not None:
        yield kernel
        kernel = getattr(kernel, "fn", None)


def kernel_of(link: Any) -> Any:
    """Finds the object that @triton.jit made."""
    while hasattr(link.fn, "fn"):
        link = link.fn
    return link


def tuner_of(kernel: Any) -> Any:
    """Finds a kernel's autotuner; None where it has none."""
    return next((link for link in links(kernel) if hasattr(link, "prune_configs")), None)


class Noting(UserDict):
    """Arguments by name as grids and heuristics get them; `asked` are the parameters that the answer depends on."""

    def __init__(self, values: dict, depends: Dict[str, set]) -> None:
        self.data, self.depends = values, depends
        self.asked: set = set()

    def __getitem__(self, name: str) -> Any:
        self.asked |= self.depends.get(name, set())
        return self.data[name]


class Still:
    """A tensor for a pre_hook that sets boxes of descriptors: it tells what it is, and nothing can be done to it."""

    def __init__(self, tensor: Any) -> None:
        vars(self).update((name, getattr(tensor, name)) for name in ("shape", "dtype", "stride", "size", "numel", "ndim", "data_ptr") if hasattr(tensor, name))


class Call:
    """A call of the program's: the outermost of Triton's objects, its arguments, and the grid, which may be a function."""

    def __init__(self, fn: Any, top: Any, args: tuple, kwargs: dict, grid: Any) -> None:
        self.fn, self.top, self.args, self.grid = fn, top, args, grid
        self.kwargs = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup", "stream")}
        self.listed: Optional[List[int]] = None  # of the tuner's list, what pruning leaves
        self.named: dict = {}  # what the tuner gets
        self.tuner = tuner_of(top)
        if not self.tuner:  # what is a parameter then may be given by position
            self.args, self.kwargs = (), {**dict(zip(fn.arg_names, args)), **self.kwargs}

    def pruned(self, kwargs: dict) -> list:
        configs = self.tuner.configs
        self.named = {**dict(zip(self.tuner.arg_names, self.args)), **kwargs}
        if len(configs) > 1:  # Triton takes a single one as it is
            twin = copy.copy(self.tuner)
            twin.nargs = dict(zip(twin.arg_names, self.args))
            left = twin.prune_configs(kwargs)
            self.listed = [n for n, config in enumerate(configs) if any(config is one for one in left)]
            configs = [configs[n] for n in self.listed]
        return [(config.all_kwargs(), config.pre_hook) for config in configs]

    def passes(self, chosen: Optional[dict] = None) -> list:
        """(configuration, answers) as a launch goes down the chain: of each configuration that pruning leaves, or of the one that is chosen."""
        own = chosen if chosen and not self.tuner else {}
        states: List[tuple] = [(chosen or {}, {**self.kwargs, **own}, {name: {name} for name in own}, None)]
        for link in links(self.top):  # a library's own class passes on what it gets
            if link is self.tuner:
                (_, kwargs, depends, _), = states
                tried = [(chosen, link.configs[0].pre_hook)] if chosen else self.pruned(kwargs)
                states = [(given, {**kwargs, **given}, {**depends, **{name: {name} for name in given}}, hook) for given, hook in tried]
            elif isinstance(getattr(link, "values", None), dict):
                states = [(given, dict(kwargs), dict(depends), hook) for given, kwargs, depends, hook in states]
                for (_, kwargs, depends, _), (name, heuristic) in itertools.product(states, link.values.items()):
                    noting = Noting({**dict(zip(link.arg_names, self.args)), **kwargs}, depends)
                    kwargs[name], depends[name] = heuristic(noting), noting.asked
        return [(given, self.answers(kwargs, depends, hook)) for given, kwargs, depends, hook in states]

    def answers(self, kwargs: dict, depends: Dict[str, set], hook: Any) -> dict:
        """Grid, constants and boxes of one configuration: {(kind, name): (value, the parameters that it depends on)}."""
        bound = self.fn.signature.bind(*self.args, **{name: value for name, value in kwargs.items() if name in self.fn.signature.parameters})
        bound.apply_defaults()
        given = {**kwargs, **bound.arguments}
        noting = Noting(given, depends)
        grid = self.grid(noting) if callable(self.grid) else self.grid
        found = {("grid", "grid"): ([int(n) for n in (*grid, 1, 1)[:3]], noting.asked)}
        found.update({("constants", p.name): (plain(p.name, given[p.name]), depends.get(p.name, set())) for p in self.fn.params if p.is_constexpr})
        boxes = {name: copy.copy(value) for name, value in bound.arguments.items() if hasattr(value, "block_shape")}
        if boxes and hook:
            noting = Noting({**{name: Still(value) if hasattr(value, "data_ptr") else value for name, value in given.items()}, **boxes}, depends)
            hook(noting)
            found.update({("boxes", name): ([int(n) for n in box.block_shape], noting.asked) for name, box in boxes.items()})
        return found

    def tables(self, start: Optional[dict], widened: Dict[str, list]) -> dict:
        """The tables of all quantities: over the list, and over the values of `widened` for the parameters that a quantity depends on."""
        passes = self.passes(start)
        first, quantities = passes[0]
        needs = {key: [p for p in first if any(p in found[key][1] for _, found in passes)] for key in quantities}
        for by in {tuple(need) for need in needs.values() if need and widened}:
            axes = [widened.get(p, [first[p]]) for p in by]
            for values in itertools.product(*axes) if math.prod(map(len, axes)) <= MOST_ROWS else ():
                try:
                    (chosen, found), = self.passes({**first, **dict(zip(by, values))})
                    passes.append((chosen, {key: found[key] for key in needs if tuple(needs[key]) == by}))
                except Exception:  # the program's own functions refuse the value: no row, no configuration
                    pass
        tables: dict = {"grid": {}, "constants": {}, "boxes": {}}
        for (kind, name), need in needs.items():
            rows: dict = {}
            for chosen, value in [(chosen, found[kind, name][0]) for chosen, found in passes if (kind, name) in found]:
                if rows.setdefault(tuple(chosen.get(p) for p in need), value) != value:
                    raise Unfit(f"{name} depends on more than its arguments")
            if name not in first:
                tables[kind][name] = {"by": need, "rows": [[*row, value] for row, value in rows.items()]}
        return {**tables, "grid": tables["grid"]["grid"]}


def widen(name: str, values: list) -> list:
    """Powers of two between the ends of a list and one step further, each number of stages; what is no such number stays as it is."""
    if name in ("num_ctas", "maxnreg") or not all(type(value) is int and value > 0 for value in values):
        return list(dict.fromkeys(values))
    low, high = min(values), max(values)
    if name == "num_stages":
        return list(range(max(low - 1, 1), high + 2))
    most = min(2 * high, 16) if name == "num_warps" else 2 * high
    return sorted({*values, *(1 << n for n in range(most.bit_length()) if low <= 2 << n and 1 << n <= most)})


def called(fn: Any, grid: Any, values: tuple) -> Optional[Call]:
    """The outermost call of a kernel on the stack; None where torch.compile launches."""
    call = Call(fn, fn, values, {}, grid)
    frame: Any = sys._getframe(1)
    while frame:
        if frame.f_globals.get("__name__", "").startswith("torch._inductor"):
            return None
        if {"self", "args", "kwargs"} <= {*frame.f_code.co_varnames, *frame.f_code.co_freevars}:
            found = frame.f_locals
            top = found.get("self")
            if isinstance(top, sys.modules["triton"].KernelInterface) and any(link is fn for link in links(top)):  # a program's own class may have `fn`, too
                call = Call(fn, top, found["args"], found["kwargs"], found.get("grid", found["kwargs"].get("grid", grid)))
        frame = frame.f_back
    return call


@functools.lru_cache(None)
def packages() -> Dict[str, List[str]]:
    """Packages by the modules that they install, where Python tells (from 3.10 on): a third of a second with torch among them."""
    return getattr(importlib.metadata, "packages_distributions", dict)()


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def source_of(fn: Any) -> Tuple[Optional[str], Optional[str]]:
    """A kernel written out alone, or why it cannot be."""
    if not hasattr(fn, "asctune_source"):
        try:
            from . import _cut

            fn.asctune_source = _cut.cut(fn)
        except Exception as e:
            fn.asctune_source = None, f"{type(e).__name__}: {e}"
    return fn.asctune_source


def source_digest(fn: Any) -> str:
    """Digest by which a kernel is the same as one that was recorded."""
    return digest(source_of(fn)[0] or fn.src)


# ---- launches ----


class Tally:
    """Launches that are counted: of a problem, or of what is skipped. The count is written when it has doubled: a process may just end."""

    def __init__(self, recorder: Recorder, record: dict) -> None:
        self.recorder, self.record, self.calls, self.due, self.step = recorder, record, 0, 1, itertools.count(1).__next__

    def attend(self, *_: Any) -> None:
        self.due = 2 * self.calls
        self.tell()

    def tell(self) -> None:
        self.recorder.line({**self.record, "calls": self.calls})


class Problem(Tally):
    """Arguments of a kernel. Its calls 1, 2, 4, ... are timed; SETS calls are saved, each of the run as likely as another: later ones take places over."""

    def __init__(self, recorder: Recorder, problem: dict, fn: Any) -> None:
        super().__init__(recorder, {"seen": problem["problem"], "timed": 0, "time_ns": 0})
        self.problem, self.fn = problem, fn
        self.events: list = []  # of launches that may still run
        self.times_ns: List[float] = []
        self.random, self.weight, self.drawn, self.slot = random.Random(0), 1.0, 1, 0

    def tell(self) -> None:
        for start, end in [pair for pair in self.events if pair[1].query()]:
            self.events.remove((start, end))
            self.times_ns.append(start.elapsed_time(end) * 1e6)
        times = self.times_ns[1:] or self.times_ns  # a first launch has other work to do, so it counts where it is the only one
        self.record.update(timed=len(times), time_ns=round(sum(times)))
        super().tell()

    def draw(self) -> int:
        """The place of the call that is due; draws the next one (Li's algorithm L)."""
        slot, self.slot, self.drawn = self.slot, self.drawn, self.drawn + 1
        if self.slot >= SETS:
            self.weight *= self.random.random() ** (1 / SETS)
            self.drawn += int(math.log(self.random.random()) / math.log(1 - self.weight))
            self.slot = self.random.randrange(SETS)
        return slot

    def attend(self, kernel: Any, stream: int, values: tuple) -> None:
        """Prepares a launch that is timed or saved: its launcher is another one for once, which looks on both sides of it."""
        guard, fn = self.recorder.guard, self.fn
        arguments, views, _ = arguments_of(fn, values)
        gpu: Any = sys.modules["torch"].cuda if any(view.place == "cuda" for view in views.values()) else None
        if gpu and gpu.is_current_stream_capturing():  # nothing may be copied or waited for
            self.due = self.calls + 1
            if self.calls == 1:
                self.recorder.line({"set": self.problem["problem"], "slot": 0, "file": None, "left": dict.fromkeys(views, "launched while a graph was recorded")})
            return
        with self.recorder.lock:
            slot = self.draw() if self.calls >= self.drawn else None
        if arguments != self.problem["arguments"]:  # other numbers, or other views of the same shape
            slot = None
        self.due = min(1 << self.calls.bit_length(), self.drawn)
        self.tell()
        run, where, thread = kernel.run, "_run" if "_run" in vars(kernel) else "run", threading.get_ident()

        def event() -> Any:
            made = gpu.Event(enable_timing=True)
            made.record()
            return made

        def once(*given: Any) -> Any:
            if threading.get_ident() != thread:
                return run(*given)
            setattr(kernel, where, run)
            if any(one is not other for one, other in zip(given[-len(values):], values)):  # the launch that this was for did not come
                return run(*given)
            saved = guard(self.before, slot, views, stream) if slot is not None else None
            if hasattr(gpu, "_sleep"):
                guard(gpu._sleep, PAUSE)
            start = guard(event) if gpu else None
            try:
                answer = run(*given)
                end = guard(event) if start else None
                if end:
                    self.events.append((start, end))
                if saved:
                    guard(self.after, *saved, slot, views, stream, dict(zip(fn.arg_names, values)))
            finally:
                if slot is not None:
                    guard(self.recorder.give_back, self.file(slot))
            return answer

        setattr(kernel, where, once)

    def file(self, slot: int) -> str:
        return f"data/{self.recorder.stem}.{self.problem['problem']}.{slot}.safetensors"

    def before(self, slot: int, views: Dict[str, View], stream: int) -> Optional[tuple]:
        """Reads what is saved of a call: all tensors; without room for them indices alone, since numbers can be made anew; of the others the range."""
        # Second and third sets take at most an eighth of what may be saved, so that problems to come have a first one.
        # A reference returns float64 in the place of outputs.
        wide = 8 if self.recorder.options.get("reference") else 0
        every = {name: view.size + max(view.size, wide * math.prod(view.shape)) for name, view in views.items()}
        indices = {name: view.size for name, view in views.items() if not view.is_real and not slot}
        taken, whole = self.recorder.reserve(self.file(slot), every, indices, 8 if slot else 1)
        if slot and not whole:
            return None
        data = {name: views[name].read(stream) for name in taken}
        return data, {name: view.range(stream) for name, view in views.items() if name not in data}, whole

    def after(self, data: Dict[str, bytes], ranges: dict, whole: bool, slot: int, views: Dict[str, View], stream: int, values: dict) -> None:
        recorder, number = self.recorder, self.problem["problem"]
        for name in [name for name in data if views[name].type in ("i64", "u64")]:
            numbers = [int(n) for n in views[name].numbers(data[name][:1 << 15]) if n]
            # Most of them: an output may have any bits before.
            if 2 * sum(n > 2**32 and is_address(n, views) for n in numbers) > len(numbers):
                self.problem["reason"] = f"{name} holds addresses of the program's memory"
                return recorder.line(self.problem)
        members = {name: (views[name].type, views[name].shape, item) for name, item in data.items()}
        if whole:
            later = {name: views[name].read(stream) for name in data}
            changed = [name for name in data if later[name] != data[name]]  # what stayed as it was is not saved twice
            members.update({f"{name}:out": (views[name].type, views[name].shape, later[name]) for name in changed or data})
            if recorder.options.get("reference"):
                members.update(recorder.guard(recorder.refer, data, views, values, changed, told="the reference") or {})
        ranges.update({f"{name}:out": views[name].range(stream) for name in list(ranges)})
        file = recorder.store(self.file(slot), *safetensors(members)) if members else None
        recorder.line({"set": number, "slot": slot, "file": file, "before": list(data),
                       "after": [name[:-4] for name in members if name.endswith(":out")], "left": {}, "ranges": ranges})


def is_address(value: int, views: Dict[str, View]) -> bool:
    """True for a number that lies in memory of this call's, or in any that the driver has given out."""
    if any(0 <= value - view.address < view.extent for view in views.values()):
        return True
    base, size = ctypes.c_uint64(), ctypes.c_size_t()
    return any(view.place == "cuda" for view in views.values()) and cuda("cuMemGetAddressRange_v2", ctypes.byref(base), ctypes.byref(size), value) == 0


def safetensors(members: Dict[str, tuple]) -> List[bytes]:
    """The parts of a file: (type, shape, bytes) by name."""
    names, header, at = {"f8e4m3": "F8_E4M3", "f8e5m2": "F8_E5M2"}, {}, 0
    for name, (kind, shape, data) in members.items():
        header[name] = {"dtype": names.get(kind, kind.upper()), "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return [struct.pack("<Q", len(text)), text, *(data for _, _, data in members.values())]


class Here(threading.local):
    """Whether this thread is in an autotuner's measuring or the recorder's own work, whose launches are not the program's, and how many those were."""

    inside, launches = 0, 0


here = Here()


class Recorder:
    """All that one process has seen, and the folder that it writes to."""

    def __init__(self, path: str, only: Optional[set] = None) -> None:
        with open(os.path.join(path, "options.json")) as file:
            self.options = json.load(file)
        self.path, self.only, self.lock, self.process = os.path.abspath(path), only, threading.RLock(), os.getpid()
        self.keys: dict = {}  # by compiled kernel: the two functions of key_of
        self.known: Dict[Any, Tally] = {}  # by key
        self.same: Dict[str, Problem] = {}  # by text
        self.like: Dict[tuple, list] = {}  # problems by key without numbers
        self.shapes: Dict[str, int] = Counter()  # how many problems a kernel has
        self.kernels: Dict[tuple, int] = {}
        self.skips: Dict[tuple, Tally] = {}
        self.tuned: Dict[int, tuple] = {}
        for folder in ("records", "kernels", "code", "data"):
            os.makedirs(os.path.join(path, folder), 0o700, exist_ok=True)
        self.stem = next(stem for stem in (f"{os.getpid()}-{n}" for n in itertools.count()) if not os.path.exists(os.path.join(path, f"records/{stem}.jsonl")))
        self.file, self.is_torn = os.path.join(self.path, f"records/{self.stem}.jsonl"), False
        os.close(os.open(self.file, os.O_CREAT | os.O_EXCL, 0o600))
        self.tell_process({"name": None, "target": None})

    def line(self, record: dict) -> None:
        # Names of files may be no Unicode, which JSON is.
        text = b"\n" * self.is_torn + json.dumps(record, allow_nan=False, ensure_ascii=False).encode(errors="replace") + b"\n"
        # Opened for each line: a program may close all files, as daemons do, and have one of its own under the same number.
        file = os.open(self.file, os.O_APPEND | os.O_WRONLY)
        try:
            self.is_torn = os.write(file, text) < len(text)
        finally:
            os.close(file)
        if self.is_torn:
            raise OSError("no space left for records")

    def tell_process(self, device: dict) -> None:
        self.line({"process": {"pid": os.getpid(), "argv": getattr(sys, "orig_argv", sys.argv), "python": sys.executable, "device": device,
                               **{name: getattr(sys.modules.get(name), "__version__", None) for name in ("triton", "torch")}}})
        self.is_told = device["target"] is not None

    def unfinished(self, name: str) -> str:
        """The path of a file that this thread has not written out yet."""
        return os.path.join(self.path, f"{name}.{self.stem}.{threading.get_ident()}")

    def store(self, name: str, *parts: bytes) -> str:
        made = self.unfinished(name)
        with open(os.open(made, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.writelines(parts)
            file.truncate()  # what `reserve` has made is longer, and keeps its room until now
        os.replace(made, os.path.join(self.path, name))
        return name

    def store_text(self, name: str, text: str) -> str:
        """A file with the digest of its text in its name: whoever writes it writes the same."""
        name = name.format(digest(text))
        return name if os.path.exists(os.path.join(self.path, name)) else self.store(name, text.encode())

    def saved_bytes(self) -> int:
        """Bytes that all processes have saved."""
        sizes = 0
        for entry in os.scandir(os.path.join(self.path, "data")):
            with contextlib.suppress(FileNotFoundError):  # another thread's or process's, which has its own name by now
                sizes += entry.stat().st_size
        return sizes

    def reserve(self, name: str, every: Dict[str, int], some: Dict[str, int], part: int) -> Tuple[List[str], bool]:
        """Tensors that may be saved in a file, and whether they are all: `every`, bytes by name, else those of `some` that fit into the room that is left in a
        `part` of what may be saved. An unfinished file without content holds their room against other threads and processes."""
        with self.lock, open(os.path.join(self.path, "options.json"), "r+b") as one:
            with contextlib.suppress(OSError):  # a file system without locks: two processes may take the same room
                fcntl.lockf(one, fcntl.LOCK_EX)  # no flock, which a forked child would hold on to
            room = self.options["save_bytes"] // part - self.saved_bytes()
            whole = sum(every.values()) <= room
            taken = dict(every if whole else {})
            for key, size in some.items():
                if not whole and sum(taken.values()) + size <= room:
                    taken[key] = size
            if taken:
                with open(os.open(self.unfinished(name), os.O_CREAT | os.O_WRONLY, 0o600), "wb") as held:
                    held.truncate(sum(taken.values()))
        return list(taken), whole

    def give_back(self, name: str) -> None:
        """Ends a reservation that no file was stored for."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.unfinished(name))

    def guard(self, work: Callable, *args: Any, told: Optional[str] = None) -> Any:
        """Does the recorder's own work: launches in it are not the program's, and failures are named in the record."""
        if self.process != os.getpid():  # a forked child in what its parent has begun
            return None
        here.inside += 1
        try:
            return work(*args)
        except Exception as e:
            self.skip(told or work.__qualname__, str(e) if isinstance(e, Unfit) else f"{type(e).__name__}: {e}").calls += 1
        finally:
            here.inside -= 1

    def skip(self, name: str, reason: str) -> Tally:
        return self.skips.setdefault((name, reason), Tally(self, {"skipped": name, "reason": reason}))

    def count(self, tally: Tally, *launch: Any) -> None:
        tally.calls = tally.step()
        if tally.calls >= tally.due:
            tally.attend(*launch)

    def launch(self, kernel: Any, grid: Any, stream: int, values: tuple) -> None:
        with self.lock:
            if kernel not in self.keys:
                self.keys[kernel] = key_of(kernel, values)
            key = self.keys[kernel][0](grid, values)
            self.count(self.known.get(key) or self.meet(key, kernel, grid, values), kernel, stream, values)

    def meet(self, key: tuple, kernel: Any, grid: Any, values: tuple) -> Tally:
        """The first launch with this key: a new problem, one that another key has, or what is only counted."""
        fn, glob = getattr(kernel.src, "fn", None), self.options.get("kernel")
        name = f"{fn.fn.__module__}:{fn.__name__}" if fn else kernel.name
        shape = self.keys[kernel][1](grid, values)
        like = self.like.get(shape, [])
        # Launches without end are not kept: one like these looks all of this up again.
        if 0 in grid or len(like) >= MOST_LIKE or self.shapes[name] >= MOST_PROBLEMS:
            return like[0] if len(like) >= MOST_LIKE else self.skip(name, "no blocks" if 0 in grid else f"more than {MOST_PROBLEMS} shapes")
        call = called(fn, grid, values) if fn else None
        asked = (not glob or any(fnmatch.fnmatch(text, glob) for text in (name, name.rpartition(":")[2]))) and (not self.only or fn in self.only)
        if not call or not asked:
            self.keys[kernel] = (lambda grid, values: kernel,) * 2
            return self.known.setdefault(kernel, self.skip(name, "not asked for" if not asked else INDUCTOR if fn else "no function of Python"))
        record = self.problem(kernel, fn, call, values)
        text = json.dumps(record)
        if text not in self.same:
            made = Problem(self, {"problem": len(self.same), **record}, fn)
            self.line(made.problem)
            self.same[text] = made  # what is not written is tried again
            self.shapes[name] += 1
        self.like[shape] = [*like, self.same[text]]
        return self.known.setdefault(key, self.same[text])

    def problem(self, kernel: Any, fn: Any, call: Call, values: tuple) -> dict:
        arguments, views, reason = arguments_of(fn, values)
        if not self.is_told:
            target = kernel.metadata.target
            self.tell_process({"name": device()[1], "target": f"{target.backend}:{target.arch}"})
        launched = {**{name: getattr(kernel.metadata, name, None) for name in ("num_warps", "num_stages", "num_ctas", "maxnreg")}, **dict(zip(fn.arg_names, values))}
        lists: Dict[str, list] = {}
        chosen: dict = {}
        tables: dict = {"grid": None, "constants": {}, "boxes": {}}
        try:
            if call.tuner:
                every = [config.all_kwargs() for config in call.tuner.configs]
                chosen = {name: plain(name, launched.get(name)) for name in every[0]}
                lists = {name: [config.get(name) for config in every] for name in chosen} if self.options.get("widen") else {}
            else:  # no list: warps, stages, and the blocks that the grid asks for
                blocks = {p.name: launched[p.name] for p in fn.params if p.is_constexpr and p.name in call.kwargs and BLOCK.search(p.name)}
                blocks = {name: value for name, value in blocks.items() if type(value) is int and value > 1 and value & (value - 1) == 0}
                (_, found), = call.passes(blocks)
                lists = {name: [value] for name, value in blocks.items() if name in found["grid", "grid"][1]}
                chosen = {**{name: launched[name] for name in ("num_warps", "num_stages")}, **{name: blocks[name] for name in lists}}
            lists = {name: widen(name, tried) for name, tried in lists.items()}
            tables = call.tables(None if call.tuner else chosen, lists)
        except Exception as e:
            reason = reason or (str(e) if isinstance(e, Unfit) else f"{type(e).__name__}: {e}")
        constants = {p.name: launched[p.name] for p in fn.params if p.is_constexpr and launched[p.name] is not None and p.name not in chosen}
        keys = {name: call.named[name] for name in call.tuner.keys if name in call.named} if call.tuner else constants
        return {"kernel": self.kernel(fn, call.tuner), "arguments": arguments, "configuration": chosen, "listed": call.listed,
                "default": call.tuner.configs[(call.listed or [0])[0]].all_kwargs() if call.tuner else chosen,
                "key": [*([name, value if isinstance(value, int) and value >= 0 else type_name(value), *([value] if isinstance(value, str) else [])]
                          for name, value in keys.items()),
                        *([name, views[name].type] for name in call.named or views if name in views)], **tables,  # in the order of the launch, as Triton has it
                "options": {name: value for name, value in call.kwargs.items() if name not in fn.arg_names and isinstance(value, (int, float, str))},
                "code": {kind: self.store_text("code/{}." + kind, kernel.asm[kind]) for kind in ("ttir", "ptx") if kind in kernel.asm},
                "widened": lists or None, "reason": reason}

    def kernel(self, fn: Any, tuner: Any) -> int:
        """The number of a kernel; its first launch writes it out."""
        if (fn, id(tuner)) in self.kernels:
            return self.kernels[fn, id(tuner)]
        number = len(self.kernels)
        text, reason = source_of(fn)
        package = packages().get(fn.fn.__module__.split(".")[0], [None])[0]
        self.line({
            "kernel": number, "name": fn.__name__, "module": fn.fn.__module__, "file": fn.fn.__code__.co_filename, "line": fn.fn.__code__.co_firstlineno,
            "package": package, "version": package and importlib.metadata.version(package), "entry": fn.__name__, "reason": reason, "digest": source_digest(fn),
            "source": self.store_text(f"kernels/{fn.__name__}_{{}}.py", text) if text else None,
            "parameters": [{"name": p.name, "constexpr": p.is_constexpr, "annotation": p.annotation_type or p.annotation or None} for p in fn.params],
            "tuner": tuner and {
                "class": f"{type(tuner).__module__}.{type(tuner).__name__}", "keys": list(tuner.keys),
                "configs": [{name: value if isinstance(value, (int, float, str, type(None))) else type_name(value)
                             for name, value in config.all_kwargs().items()} for config in tuner.configs],
                "reset_to_zero": list(tuner.reset_to_zero), "restore_value": list(tuner.restore_value),
                "pre_hook": bool(getattr(tuner, "user_defined_pre_hook", False) or any(config.pre_hook for config in tuner.configs))}})
        self.kernels[fn, id(tuner)] = number
        return number

    def refer(self, data: Dict[str, bytes], views: Dict[str, View], values: dict, changed: List[str]) -> Dict[str, tuple]:
        """Results of the user's function in float64: outputs by name, or in the order of the tensors that the launch changed."""
        import numpy

        function, torch, given = self.options["reference"], sys.modules.get("torch"), dict(values)
        if isinstance(function, str):
            module, _, name = function.partition(":")
            function = getattr(importlib.import_module(module), name)
        for name, item in data.items():
            array = views[name].numbers(item).reshape(views[name].shape)
            given[name] = torch.from_numpy(array) if torch else array
        answer = by_name(function(**given), changed, "the launch has changed")  # one that held its result before is not among these
        arrays = {name: numpy.asarray(array, "f8") for name, array in answer.items()}
        for name, array in arrays.items():
            if name not in views or list(array.shape) != views[name].shape:
                raise Unfit(f"it returns {name} of shape {list(array.shape)}, expected {views[name].shape if name in views else 'one of ' + ', '.join(views)}")
        return {f"{name}:out": ("f64", list(array.shape), array.tobytes()) for name, array in arrays.items()}

    def tune(self, tuner: Any, seconds: float, launches: int) -> None:
        with self.lock:  # a kernel is known under its number once its line is there
            number = self.kernel(kernel_of(tuner), tuner)
            had = self.tuned.get(number, (0, 0))
            self.tuned[number] = had[0] + seconds, had[1] + launches
            self.line({"tuned": number, "seconds": self.tuned[number][0], "launches": self.tuned[number][1]})


def key_of(kernel: Any, values: tuple) -> tuple:
    """Two functions of a launch's grid and arguments: its key, and its key without numbers. Written out, since going over the arguments takes longer."""
    shapes, numbers = ["k", "*g"], []
    for n, (kind, value) in enumerate(zip(kernel.src.signature.values(), values)):
        if hasattr(value, "block_shape"):
            shapes.append(f"*v[{n}].shape, *v[{n}].strides, *v[{n}].block_shape")
        elif hasattr(value, "data_ptr"):
            shapes.append(f"v[{n}].shape, v[{n}].stride()")
        elif kind != "constexpr" and isinstance(value, (int, float)):
            numbers.append(f"v[{n}]")
    return tuple(eval(f"lambda g, v: ({', '.join(parts)},)", {"k": kernel}) for parts in (shapes + numbers, shapes))


# ---- the program ----

recorder: Any = None
wrapped: List[tuple] = []  # (class, name, its own function)


def wrap(owner: Any, name: str, make: Callable) -> None:
    wrapped.append((owner, name, getattr(owner, name)))
    setattr(owner, name, make(getattr(owner, name)))


def seeing(own: Callable) -> Callable:
    def launch_metadata(kernel: Any, grid: Any, stream: int, *values: Any) -> Any:
        answer = own(kernel, grid, stream, *values)
        if here.inside:
            here.launches += 1
            return answer
        try:
            tally = recorder.known[recorder.keys[kernel][0](grid, values)]
            tally.calls = calls = tally.step()
            if calls >= tally.due:
                recorder.guard(tally.attend, kernel, stream, values)
        except Exception:  # not known
            recorder.guard(recorder.launch, kernel, grid, stream, values)
        return answer

    return launch_metadata


def aside(tell: Callable) -> Callable:
    """For what launches kernels, but not as the program does: tells the object, seconds and launches of each time."""

    def make(own: Callable) -> Callable:
        def work(self: Any, *args: Any, **kwargs: Any) -> Any:
            here.inside += 1
            began, launches = time.perf_counter(), here.launches
            try:
                return own(self, *args, **kwargs)
            finally:
                here.inside -= 1
                recorder.guard(tell, self, time.perf_counter() - began, here.launches - launches)

        return work

    return make


def start(path: str, module: Any, only: Optional[set] = None) -> None:
    """Begins to record in the folder `path`, whose options.json says what; called with each module that launches kernels, after it has run."""
    global recorder
    recorder = recorder or Recorder(path, only)
    if hasattr(module, "CachingAutotuner"):
        wrap(module.CachingAutotuner, "run", aside(lambda launcher, *_: recorder.count(recorder.skip(launcher.fn.__name__, INDUCTOR))))
    else:
        wrap(module.CompiledKernel, "launch_metadata", seeing)
        wrap(importlib.import_module("triton.runtime.autotuner").Autotuner, "_bench", aside(lambda *told: recorder.tune(*told)))


def arm(path: str, only: set, reference: Any = None, save_bytes: int = 2 << 30) -> None:
    """Records in this process launches of the functions `only`, and of more when called again."""
    if recorder is None:
        os.makedirs(path, 0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError), open(os.path.join(path, "options.json"), "x") as file:
            json.dump({"save_bytes": save_bytes}, file)
        start(path, sys.modules["triton.compiler.compiler"], set())
    recorder.only |= only
    recorder.options["reference"] = reference
    recorder.known.clear(), recorder.keys.clear()


def disarm() -> None:
    """Ends what `arm` began."""
    global recorder
    while wrapped:
        setattr(*wrapped.pop())
    finish()
    recorder = None


@atexit.register
def finish() -> None:
    for tally in [*recorder.same.values(), *recorder.skips.values()] if recorder else ():
        recorder.guard(tally.tell)


def begin_anew() -> None:
    """In a forked child: records of its own. Where these cannot be made it records nothing: a recorder does no work in another process than its own."""
    global recorder
    if recorder:
        before = recorder
        with contextlib.suppress(OSError):
            recorder = Recorder(before.path, before.only)
            recorder.options = before.options  # with what the program has given, such as a reference
        if "multiprocessing.util" in sys.modules:  # its children end without the functions of atexit
            util = sys.modules["multiprocessing.util"]
            util.register_after_fork(recorder, lambda _: util.Finalize(None, finish, exitpriority=0))


os.register_at_fork(after_in_child=begin_anew)
