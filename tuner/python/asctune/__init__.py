"""libasctune for Python: which implementation and configuration of an operator to use.

    table = asctune.Table("best.json")
    answer = table.ask(op="gemm", device="nvidia", device_model="NVIDIA H200", types={"T": "float16"},
                       sizes={"M": m, "N": n, "K": k}, active=[-1, *Gemm.active_implementation_indices("cuda")])
    gemm(a, b, c, **answer.keywords())

Needs nothing but Python and libasctune.so.0, which is looked for in the tree that this package was installed in, then
where the system's loader looks.
"""
import ctypes
import glob
import json
import os
import shutil

_NAME_BYTES, _CONFIG_BYTES, _ERROR_BYTES = 64, 1024, 1024
NOT_SET, EXACT, RULE, NEAREST = range(4)
KEEP = 1  # never reads the file again by itself
SIMULATED = 2  # of a database the results on stand-ins, instead of measured ones


def __getattr__(name):
    """Finds the functions for programs with Triton: `autotune`, `apply`, `tune`."""
    if name in ("autotune", "apply", "tune"):
        from . import give, tune_kernel
        return getattr(tune_kernel if name == "tune" else give, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


class _Size(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


class _Type(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p)]


class _Question(ctypes.Structure):
    _fields_ = [("op", ctypes.c_char_p), ("device", ctypes.c_char_p), ("device_model", ctypes.c_char_p),
                ("types", ctypes.POINTER(_Type)), ("n_types", ctypes.c_size_t),
                ("sizes", ctypes.POINTER(_Size)), ("n_sizes", ctypes.c_size_t),
                ("active", ctypes.POINTER(ctypes.c_int64)), ("n_active", ctypes.c_size_t)]


class _Answer(ctypes.Structure):
    _fields_ = [("found", ctypes.c_int), ("index", ctypes.c_int64), ("default_index", ctypes.c_int64),
                ("time_ns", ctypes.c_double), ("default_ns", ctypes.c_double), ("stale", ctypes.c_int),
                ("implementation", ctypes.c_char * _NAME_BYTES), ("config", ctypes.c_char * _CONFIG_BYTES)]


class Answer:
    """Serves a question. `found`: NOT_SET, EXACT, RULE or NEAREST; false where nothing serves."""

    def __init__(self, raw):
        self.found = raw.found
        self.index = raw.index if raw.found != NOT_SET and raw.index >= 0 else None
        self.implementation = raw.implementation.decode() or None
        self.config = json.loads(raw.config) if raw.config else None
        self.time_ns = raw.time_ns or None
        self.default_index = raw.default_index if raw.default_index >= 0 else None
        self.default_ns = raw.default_ns or None
        self.stale = bool(raw.stale)

    def __bool__(self):
        return self.found != NOT_SET

    def __repr__(self):
        return "Answer(%s)" % ", ".join("%s=%r" % item for item in vars(self).items())

    def keywords(self):
        """Keyword arguments for the operator: none where nothing serves, no `implementation_index` for an
        implementation without one, `config` where the answer has one."""
        words = {"implementation_index": self.index, "config": self.config}
        return {name: value for name, value in words.items() if self and value is not None}


def _text(value):
    return None if value is None else str(value).encode()


def _integer(value):
    number = int(value)
    if number != value:
        raise ValueError("%r is no integer" % (value,))
    if not -(1 << 63) <= number < 1 << 63:
        raise OverflowError("%d is beyond 64 bits" % number)
    return number


def _load():
    """Loads the library: from this package, as in a wheel; from the tree around it, PREFIX/share/asctune/asctune; from beside the program in PATH, as in a
    build; else as the system's loader finds it."""
    here, program = os.path.dirname(os.path.realpath(__file__)), shutil.which("asctune")
    around = os.path.normpath(os.path.join(here, "..", "..", "..", "lib"))
    places = [(here, ""), (around, "*"), (around, "/*"), *([(os.path.dirname(os.path.realpath(program)), "")] if program else [])]
    found = [path for folder, more in places for path in sorted(glob.glob(glob.escape(folder) + more + "/libasctune.so.0"))]
    try:
        return ctypes.CDLL(found[0] if found else "libasctune.so.0")
    except OSError as e:
        sought = [*(folder + more for folder, more in places), *["beside asctune, which is not in PATH"][bool(program):], "where the system's loader looks"]
        raise OSError("%s: sought in %s" % (e, ", ".join(found or sought))) from None


class Table:
    """A table: a database of asctune, its best.json, or a file of rules. Any thread may ask it."""

    _table = None  # until it is opened

    def __init__(self, path, *, keep=False, simulated=False, library=None):
        self._table = ctypes.c_void_p()
        self._library = ctypes.CDLL(library) if library else _load()
        self._library.asctune_error.restype = self._library.asctune_explain.restype = None
        self._call(self._library.asctune_open, os.fsencode(path), ctypes.c_uint(KEEP * keep | SIMULATED * simulated), ctypes.byref(self._table))

    def close(self):
        if self._table:
            self._library.asctune_close(self._table)
            self._table = ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    __del__ = close

    def _opened(self):
        if not self._table:
            raise ValueError("the table is closed")
        return self._table

    def _call(self, function, *args):
        """Calls a function that writes a text; returns the text, or raises a ValueError with it where the function fails."""
        text = ctypes.create_string_buffer(_ERROR_BYTES)
        failed = function(*args, text, ctypes.c_size_t(_ERROR_BYTES))
        said = text.value.decode(errors="replace")
        if failed:
            raise ValueError(said)
        return said

    def reload(self):
        """Reads the file again now. On ValueError the table stays as it was."""
        self._call(self._library.asctune_reload, self._opened())

    def error(self):
        """Why the file that replaced the table's cannot be read, or the last of the rows that are left out
        is left out; "": neither."""
        return self._call(self._library.asctune_error, self._opened())

    def _question(self, op, device, sizes, active, types=None, device_model=None):
        named = types if isinstance(types, dict) else {} if types is None else {None: types}
        type_list = (_Type * len(named))(*[_Type(_text(name), _text(value)) for name, value in named.items()])
        size_list = (_Size * len(sizes))(*[_Size(_text(name), _integer(value)) for name, value in sizes.items()])
        indices = (ctypes.c_int64 * len(active))(*map(_integer, active))
        return ctypes.byref(_Question(_text(op), _text(device), _text(device_model), type_list, len(type_list), size_list,
                                      len(size_list), indices, len(indices)))

    def ask(self, *, op, device, sizes, active, types=None, device_model=None):
        """`types`: a type, or types by name; `sizes`: sizes by name; `active`: indices built into the library, -1 for
        implementations without one."""
        answer = _Answer()
        self._library.asctune_ask(self._opened(), self._question(op, device, sizes, active, types, device_model),
                                  ctypes.byref(answer))
        return Answer(answer)

    def explain(self, *, op, device, sizes, active, types=None, device_model=None):
        """Why a question has no answer; "": it has one."""
        return self._call(self._library.asctune_explain, self._opened(), self._question(op, device, sizes, active, types, device_model))
