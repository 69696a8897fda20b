"""Gives the answers of tables to Triton's kernels: `autotune` decorates a kernel of one's own, `apply` serves those of installed libraries.

The first call of each key asks: the operator is MODULE:KERNEL, sizes and types are the key's values and the arguments' types by name, and the digest of the
kernel's text tells which source an answer is for. Every later call of that key is a look into a dictionary, then the kernel's own launch."""

from __future__ import annotations

import fnmatch
import functools
import gc
import math
import os
import re
import sys
import threading
import weakref
from typing import Any, Callable, NamedTuple, Optional

from . import EXACT, NEAREST, RULE, Table, _capture

FOUND = {EXACT: "exact", RULE: "rule", NEAREST: "nearest"}
TYPE, SHAPE = "getattr({}, 'dtype', None)", "tuple(getattr({}, 'shape', None) or ())"
NOWHERE, MOST = "no table has it", 4096  # answers of a kernel without a tuner that are kept
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class Taken(NamedTuple):
    """Answer that the calls of one key take: `config` (None: the library's tuner chooses), `found` as "exact", "rule" or "nearest" ("": in no table), why."""

    config: Any
    found: str
    why: str
    keywords: dict[str, Any]  # what the kernel gets beside the call's own arguments

    def __str__(self) -> str:
        return f"{self.config or 'the choice of the library'} ({self.why})"


class Last:
    """`asctune_last` of what stands around an autotuner, such as heuristics."""

    def __get__(self, kernel: Any, owner: Any = None) -> Optional[Taken]:
        return getattr(kernel.fn, "asctune_last", None)


class Given(NamedTuple):
    path: str
    pattern: str  # of the kernels that the table serves
    table: Optional[Table]  # None: it cannot be read


_given: list[Given] = []
_answers: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # of each tuner that is served
_plain: weakref.WeakSet = weakref.WeakSet()  # kernels that are served without a tuner
_said: set[str] = set()
_lock = threading.RLock()


os.register_at_fork(after_in_child=lambda: globals().update(_lock=threading.RLock()))  # in a forked child no thread of its parent's holds it


def _say(text: str) -> None:
    if text not in _said:
        _said.add(text)
        print(f"asctune: {text}", file=sys.stderr)


def _open(path: Any, pattern: str) -> Given:
    try:
        return Given(os.fspath(path), pattern, Table(path))
    except (OSError, ValueError) as e:  # the program goes on without it
        _say(f"{e}: the table is not used")
        return Given(os.fspath(path), pattern, None)


def config_of(values: dict[str, Any], like: Any = None) -> Any:
    """A triton.Config of a table's values; what they leave out, and the pre_hook, which sets the boxes of descriptors, are those of `like`."""
    import triton

    like = like or triton.Config({})
    options = {name: values.get(name, getattr(like, name)) or None for name in OPTIONS}
    return triton.Config({**like.kwargs, **{name: value for name, value in values.items() if name not in OPTIONS}}, pre_hook=like.pre_hook, **options)


# ---- the first call of a key ----


def _ask(given: Given, op: str, kernel: Any, keys: list[str], named: dict[str, Any], brief: bool = False) -> Any:
    """An answer; a text that says why there is none, which takes a millisecond where it is not `brief`."""
    if given.table is None or not hasattr(kernel, "src"):
        return "it cannot be read" if given.table is None else "the kernel is interpreted"
    device, model = _capture.device()
    key = {name: named[name] for name in keys if name in named}
    sizes = {name: int(value) for name, value in key.items() if isinstance(value, int) and value >= 0}
    # Sizes may be near to each other; all else has to be the same.
    types = {name: _capture.type_name(value) for name, value in key.items() if name not in sizes}
    tensors = {name: getattr(value, "base", value) for name, value in named.items() if hasattr(value, "data_ptr") or hasattr(value, "block_shape")}
    types.update((name, _capture.type_name(value.dtype)) for name, value in tensors.items())
    sizes["@elements"] = sum(math.prod(getattr(named[name], "shape", None) or ()) for name in tensors)
    question = {"op": op, "device": device, "device_model": model, "sizes": sizes, "active": [-1]}
    own = {**types, "@source": _capture.source_digest(kernel)}
    answer = given.table.ask(types=own, **question) or given.table.ask(types=types, **question)  # a workload by hand names no source
    if answer.stale:
        _say(f"{given.table.error()}: the table stays as it was")
    if answer or brief:
        return answer or "nothing for exactly this call"
    why = given.table.explain(types=own, **question)
    if re.match("it was measured with @source [0-9a-f]{16},", why):
        why = f"{op} was measured with another source"
    elif why.startswith("it was measured with @source "):
        why = given.table.explain(types=types, **question)  # a table by hand has a type where this asks for the source
    if why.startswith("it was measured on ") or why.endswith("another source"):
        _say(f"{given.path}: {why}: not used")
    return why


def _values(answer: Any, names: list[str]) -> dict[str, Any]:
    """The values of an answer. Raises ValueError for one that the kernel does not take."""
    values = {**answer.config, **answer.config.get("constexprs", {})}
    values.pop("constexprs", None)
    for name in values:
        if name not in OPTIONS and name not in names:
            raise ValueError(f"the kernel has no parameter {name}")
    return values


def _config(tuner: Any, answer: Any, kwargs: dict[str, Any]) -> Any:
    """The configuration of an answer: the tuner's own object if its list has it."""
    values = _values(answer, tuner.arg_names)
    for config in tuner.configs:
        has = config.all_kwargs()
        if all(value in (has.get(name), str(has.get(name))) or not value and name not in has for name, value in values.items()):
            break
    else:
        config = config_of(values, tuner.configs[0])
    # Measured at other sizes, it may be one that the kernel's own pruning leaves out at these.
    if answer.found != EXACT and tuner.early_config_prune and config not in tuner.early_config_prune([*tuner.configs, config], tuner.nargs, **kwargs):
        raise ValueError("the kernel's pruning leaves it out")
    return config


def is_plain(link: Any) -> bool:
    """True for a kernel without an autotuner."""
    return not hasattr(link, "prune_configs")


def _take_plain(kernel: Any, known: bool, args: tuple, kwargs: dict[str, Any]) -> Taken:
    """Options of the compiler for exactly this call of a kernel without an autotuner. Its blocks stay the caller's, who has worked out grids, masks and sizes of
    buffers by them. `known`: a table has the kernel; another miss costs no explanation."""
    op, why = f"{kernel.fn.__module__}:{kernel.fn.__name__}", NOWHERE
    named = {name: value for name, value in {**dict(zip(kernel.arg_names, args)), **kwargs}.items() if name in kernel.arg_names}
    keys = [name for name in constants_of(kernel) if named.get(name) is not None]
    for given in [given for given in reversed(_given) if fnmatch.fnmatchcase(op, given.pattern)]:
        try:
            answer = _ask(given, op, kernel, keys, named, known)
            if isinstance(answer, str):
                why = why if "it has no operator" in answer else f"{given.path}: {answer}"
                continue
            values = _values(answer, kernel.arg_names)
            why = f"{given.path}: measured at other sizes, constants or blocks"
            if answer.found == EXACT and all(named.get(name) == value for name, value in values.items() if name not in OPTIONS):
                return Taken(config_of(values), "exact", f"exact in {given.path}", {name: value for name, value in values.items() if name in OPTIONS})
        except Exception as e:  # whatever it is, the program goes on
            why = f"{given.path}: {op}: {e}"
    return Taken(None, "", why, {})


def _none(tuner: Any, measures: bool, why: str, kwargs: dict[str, Any]) -> Taken:
    config = None if measures else tuner.prune_configs(kwargs)[0]
    return Taken(config, "", f"the first that pruning leaves; {why}", config.all_kwargs()) if config else Taken(None, "", why, {})


def _take(tuner: Any, own: list[Given], measures: bool, args: tuple, kwargs: dict[str, Any]) -> Taken:
    kernel, reasons = _capture.kernel_of(tuner), []
    op = f"{kernel.fn.__module__}:{kernel.fn.__name__}"
    tuner.nargs = dict(zip(tuner.arg_names, args))
    named = {name: value for name, value in {**tuner.nargs, **kwargs}.items() if name in tuner.arg_names}
    tables = own + [given for given in reversed(_given) if fnmatch.fnmatchcase(op, given.pattern)]
    for given in tables:
        try:
            answer = _ask(given, op, kernel, tuner.keys, named)
            if not isinstance(answer, str):
                config, found = _config(tuner, answer, kwargs), FOUND[answer.found]
                return Taken(config, found, f"{found} in {given.path}", config.all_kwargs())
        except Exception as e:  # whatever it is, the program goes on
            answer = f"{op}: {e}"
            _say(f"{given.path}: {answer}: not used")
        reasons.append(f"{given.path}: {answer}")
    folder = os.environ.get("ASCTUNE_TUNE", "")
    if folder not in ("", "0") and (tables or not measures):
        folder = "asctune-capture" if folder == "1" else folder
        try:
            _capture.arm(folder, only={kernel})
            _say(f"kernels without an answer are recorded in {folder}; next: asctune capture -o {folder}, then asctune run {folder}")
        except OSError as e:
            _say(f"nothing is recorded: {e}")
    return _none(tuner, measures, "; ".join(reasons) or "no table is given", kwargs)


# ---- every call ----


def constants_of(kernel: Any) -> list[str]:
    return [p.name for p in kernel.params if p.is_constexpr]


def _reader(names: list[str], keys: list[str], members: tuple[str, ...], args: tuple, kwargs: dict[str, Any]) -> Callable[[tuple, dict[str, Any]], tuple]:
    """Compiles a reader of keys out of calls of one form: values of the key, `members` of all that may be tensors. A loop costs more than the rest of a call."""
    places = {name: f"a[{n}]" for n, name in enumerate(names[:len(args)])}
    places.update((name, f"k[{name!r}]") for name in kwargs if name in names)
    values = {**dict(zip(names, args)), **kwargs}
    parts = [places[name] for name in keys if name in places] + ["k.get('warmup')"]
    parts += [member.format(place) for name, place in places.items() if not isinstance(values[name], (int, float, str)) for member in members]
    return eval(f"lambda a, k: ({', '.join(parts)},)")


def serve(tuner: Any, own: list[Given], measures: bool) -> Callable[[], None]:
    """Puts a `run` before the one of the tuner, or of a kernel without one. `measures`: without an answer the tuner goes on as ever. A kernel without a tuner
    gets an answer for exactly its call, and is as it was from its first call on where no table has it. Returns a function that undoes it."""
    from triton.runtime.jit import KernelInterface

    forms: dict[tuple, tuple[Callable, dict[tuple, Taken]]] = {}
    fn, names, go_on, before, plain = tuner.fn, tuner.arg_names, tuner.run, _answers.pop(tuner, None), is_plain(tuner)
    keys, members = (constants_of(tuner), (TYPE, SHAPE)) if plain else (tuner.keys, (TYPE,))

    def run(*args: Any, **kwargs: Any) -> Any:
        form = (len(args), *kwargs)
        try:
            key_of, answers = forms[form]
            taken = answers[key_of(args, kwargs)]
        except KeyError:
            taken = None
        if taken is None:  # out of the handler, so that what fails there is not told as a KeyError
            return first(form, args, kwargs)
        tuner.asctune_last = taken
        config = taken.config
        if config is None:
            return go_on(*args, **kwargs)
        if plain:
            return go_on(*args, **{**kwargs, **taken.keywords})
        tuner.best_config = config  # FlagGems' LibEntry launches later calls by it
        if config.pre_hook is not None and not kwargs.get("warmup"):
            config.pre_hook({**dict(zip(names, args)), **kwargs, **taken.keywords})
        return fn.run(*args, **kwargs, **taken.keywords)

    def first(form: tuple, args: tuple, kwargs: dict[str, Any]) -> Any:
        key_of, answers = forms.setdefault(form, (_reader(names, keys, members, args, kwargs), {}))
        if plain and len(answers) >= MOST:  # shapes without end
            return go_on(*args, **kwargs)
        key = key_of(args, kwargs)
        with _lock:
            taken = answers.get(key) or (_take_plain(tuner, bool(answers), args, kwargs) if plain else _take(tuner, own, measures, args, kwargs))
        if taken.why == NOWHERE:
            undo()
        answers[key] = taken
        # What ran at other sizes, or with another Triton, may need too much shared memory here, or not compile. That is found before anything is launched, but
        # where a hook makes the descriptors first, or a library has its own launcher.
        tries = taken.found and taken.config.pre_hook is None and type(tuner if plain else fn).__module__.startswith("triton.")
        try:
            if tries:
                made = (go_on if plain else fn.run)(*args, **{**kwargs, **taken.keywords, "warmup": True})
                getattr(made, "_init_handles", int)()
            elif taken.found:
                return run(*args, **kwargs)
        except Exception as e:
            if not tries and not type(e).__module__.startswith("triton."):
                raise
            answers[key] = _none(tuner, measures, f"{taken.why}, where it fails here: {type(e).__name__}: {e}", kwargs)
        return run(*args, **kwargs)

    def undo() -> None:
        if plain:
            _unserve(tuner)
        else:
            tuner.run = go_on
        _answers.pop(tuner, None)
        if before is not None:
            _answers[tuner] = before

    tuner.run, tuner.asctune_last, KernelInterface.asctune_last = run, None, Last()
    if plain:
        _plain.add(tuner)
    else:
        _answers[tuner] = forms
    return undo


def autotune(configs: Any, key: Any, *others: Any, table: Any = None, **more: Any) -> Callable[[Any], Any]:
    """Decorates like triton.autotune, whose arguments it takes, and measures nothing: a configuration is the answer of `table` (default: $ASCTUNE_TABLE, and
    the tables of `apply`), else the first that pruning leaves."""
    import triton
    from triton.runtime.jit import JITFunction

    def decorate(fn: Any) -> Any:
        path = table or os.environ.get("ASCTUNE_TABLE")
        tuner = triton.autotune(configs, key, *others, **more)(fn)
        serve(tuner, [_open(path, "*")] if path else [], measures=False)
        tuner.warmup = functools.partial(JITFunction.warmup, tuner)  # that of the tuner compiles its whole list
        return tuner

    return decorate


def _unserve(kernel: Any) -> None:
    if kernel in _plain:
        _plain.discard(kernel)
        del kernel.run


def _serve_once(link: Any) -> None:
    if not is_plain(link):
        _unserve(_capture.kernel_of(link))  # the kernel below is told by its tuner
    if link not in _answers:
        serve(link, [], measures=True)


def apply(table: Any, kernels: str = "*") -> None:
    """Gives a table to the kernels whose MODULE:KERNEL matches a pattern, such as "fla.*": those that there are, and those of modules that are imported
    later. Where it has no answer, the kernel's own tuner goes on, and one without a tuner is launched as it is called."""
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    _given.append(_open(table, kernels))
    for forms in list(_answers.values()):
        forms.clear()
    for kernel in list(_plain):
        _unserve(kernel)

    # On the objects, not in the classes: subclasses have a `run` of their own, which may call that of Autotuner.
    for kind in (JITFunction, Autotuner):
        if len(_given) == 1:
            kind.__init__ = (lambda make: lambda self, *args, **kwargs: (make(self, *args, **kwargs), _serve_once(self))[0])(kind.__init__)
        for link in [link for link in gc.get_objects() if issubclass(type(link), kind)]:
            _serve_once(link)
