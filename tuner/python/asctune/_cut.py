"""Writes a Triton kernel out as a module of its own, with all that it calls and names and without its autotuner.

What is needed is in the living objects: a function's text, its globals and its closure. Of each global name in the text, a module of Triton or of the standard
library is imported, and so is what they define; another function or class is written out in turn, a value is written down, and of any other module
(`ext.program_id`) the member that the text asks for. Names of the text stay as they are, unless two things have the same one or a local variable has it.
The same objects give the same text.
"""

from __future__ import annotations

import __future__

import ast
import builtins
import collections
import dataclasses
import enum
import inspect
import itertools
import re
import sys
import textwrap
import types
from typing import Any, List, Optional, Tuple, Union

# Modules that every Python has. Before 3.10 there is no list: these are what kernels have been seen to name.
STANDARD = getattr(sys, "stdlib_module_names", ("builtins", "collections", "copy", "dataclasses", "enum", "functools", "itertools", "math", "operator"))
OPTIONS = ("do_not_specialize", "do_not_specialize_on_alignment", "noinline", "debug", "repr")  # of triton.jit, those that change the code


class Refusal(Exception):
    """A kernel that cannot be written out: the text says why."""


class Piece:
    """A definition or an import of the new module. In `parts` another piece stands for its name, which is chosen when all are known."""

    def __init__(self, wanted: str) -> None:
        self.wanted = self.name = wanted
        self.barred: set = set(dir(builtins))  # names that must not be its own: local variables of functions that name it, too
        self.parts: Parts = []

    def text(self) -> str:
        text = "".join(part.name if isinstance(part, Piece) else part for part in self.parts)
        return re.sub(r"^((?:from \S+ )?import (\S+)) as \2$", r"\1", text)


Parts = List[Union[str, Piece]]


def is_known(module: Any) -> bool:
    """True for the name of a module that is found wherever Triton is."""
    return isinstance(module, str) and (module.partition(".")[0] == "triton" or module.partition(".")[0] in STANDARD)


def home_of(value: Any) -> Optional[Tuple[str, str]]:
    """Module and name by which a value can be imported where there is only Triton."""
    name, module = getattr(value, "__name__", None), getattr(value, "__module__", None)
    if not is_known(module):
        return None
    # A library may have its own name for what it wraps, so that all of Triton's language is looked through.
    for home in (module, *sorted(key for key in sys.modules if key.startswith("triton.language"))):
        members = vars(sys.modules[home]) if home in sys.modules else {}
        for key in (name, *sorted(members)):
            if key in members and members[key] is value:
                return home, key
    return None


def is_passed_through(value: Any) -> bool:
    """True for a module of a library or an object that has members and no text of its own: the text's `value.member` becomes the member."""
    if isinstance(value, types.ModuleType):
        return not is_known(value.__name__)
    plain = callable(value) or isinstance(value, (tuple, enum.Enum)) or dataclasses.is_dataclass(value) or is_known(type(value).__module__)
    return isinstance(value, types.SimpleNamespace) or (hasattr(value, "__dict__") and not plain)


def describe(value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    return f"a {type(value).__module__}.{type(value).__qualname__}"


class Cut:
    def __init__(self) -> None:
        from triton.runtime.jit import JITFunction

        self.jit = JITFunction
        self.pieces: dict = {}  # by what they are: the object's address, or the value's text
        self.order: List[Piece] = []  # what is named comes before what names it

    def piece(self, value: Any, wanted: str) -> Piece:
        named = isinstance(value, types.ModuleType) or (callable(value) and not isinstance(value, sys.modules["triton.language"].constexpr))
        parts = None if named else self.expression(value, wanted)
        key = (id(value),) if parts is None else (wanted, *parts)
        if key not in self.pieces:
            made = self.pieces[key] = Piece(wanted)  # before its definition, which may name it
            made.value = value  # type: ignore[attr-defined]  # keeps the address its own
            made.parts = self.definition(value, made) if parts is None else [made, " = ", *parts]
            self.order.append(made)
        return self.pieces[key]

    def definition(self, value: Any, own: Piece) -> Parts:
        if isinstance(value, types.ModuleType):
            return [f"import {value.__name__} as ", own]
        home = home_of(value)
        if home:
            return [f"from {home[0]} import {home[1]} as ", own]
        function = inspect.unwrap(getattr(value, "fn", value))
        own.wanted = getattr(function, "__name__", own.wanted)
        if isinstance(value, self.jit):
            if value.is_gluon():
                raise Refusal(f"{own.wanted} is a kernel of Gluon")
            options = [(name, getattr(value, "_repr" if name == "repr" else name, None)) for name in OPTIONS]
            stated = [[f"{name}=", *self.expression(v, name)] for name, v in options if v]
            head = ["(", *[part for one in stated for part in (*one, ", ")][:-1], ")"] if stated else []
            return ["@", self.piece(sys.modules["triton"], "triton"), ".jit", *head, "\n", *self.body(value.src, function, own)]
        try:
            return self.body(textwrap.dedent(inspect.getsource(function)), function, own)
        except (OSError, TypeError):  # made by a call
            if hasattr(value, "_fields"):
                made = self.piece(collections.namedtuple, "namedtuple")
                defaults = self.expression((*value._field_defaults.values(),), own.wanted)
                return [own, " = ", made, f"({own.wanted!r}, {value._fields!r}, defaults=", *defaults, ")"]
            raise Refusal(f"names {own.wanted}, {describe(value)} without a text") from None

    def expression(self, value: Any, name: str) -> Parts:
        """A value as the text of an expression."""
        language = sys.modules["triton.language"]
        if value is None or isinstance(value, (bool, int, str, bytes)) and not isinstance(value, enum.Enum):
            return [repr(value)]
        if isinstance(value, float):
            return [repr(value) if abs(value) < float("inf") else f'float("{value}")']
        if isinstance(value, language.constexpr):
            return [self.piece(language, "tl"), ".constexpr(", *self.expression(value.value, name), ")"]
        if isinstance(value, language.dtype) and type(value) is language.dtype:
            return [self.piece(language, "tl"), f".dtype({value.name!r})"]
        if isinstance(value, enum.Enum):
            return [self.piece(type(value), type(value).__name__), f".{value.name}"]
        if isinstance(value, tuple) and hasattr(value, "_fields") or dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = getattr(value, "_fields", None) or [field.name for field in dataclasses.fields(value) if field.init]
            inside = [part for key in names for part in (f"{key}=", *self.expression(getattr(value, key), name), ", ")]
            return [self.piece(type(value), type(value).__name__), "(", *inside[:-1], ")"]
        if isinstance(value, (tuple, list)):
            inside = [part for item in value for part in (*self.expression(item, name), ", ")]
            return ["[", *inside[:-1], "]"] if isinstance(value, list) else ["(", *inside, ")"]
        if isinstance(value, dict):
            return ["{", *[part for k, v in value.items() for part in (*self.expression(k, name), ": ", *self.expression(v, name), ", ")][:-1], "}"]
        if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            return self.expression(value.item(), name)
        if isinstance(value, types.ModuleType) or not callable(value):
            raise Refusal(f"names {name}, {describe(value)}")
        return [self.piece(value, getattr(value, "__name__", name))]

    def body(self, text: str, function: Any, own: Piece) -> Parts:
        """The text of a function or class, its names replaced by the pieces that they stand for."""
        tree = ast.parse(text)
        if not isinstance(tree.body[0], (ast.FunctionDef, ast.ClassDef)):
            raise Refusal(f"names {own.wanted}, whose text is no definition")
        code = getattr(function, "__code__", None)
        closure = inspect.getclosurevars(function).nonlocals if code else {}
        scope = {**(function.__globals__ if code else vars(sys.modules[function.__module__])), **closure}
        texts_only = bool(code and code.co_flags & __future__.annotations.compiler_flag)
        nodes = list(ast.walk(tree))
        local = {node.arg for node in nodes if isinstance(node, ast.arg)} | {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        local |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node is not tree.body[0]}
        raw = text.encode()
        starts = [0]
        for line in raw.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        edits: dict = {}  # {(first byte, byte behind the last): what stands there}

        def place(node: Any) -> Tuple[int, int]:
            return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

        def found(node: Any) -> Optional[Tuple[Any, str]]:
            """Value and name of a global, or of a member of what is passed through."""
            if isinstance(node, ast.Name):
                return (scope[node.id], node.id) if node.id in scope and node.id not in local else None
            base = found(node.value) if isinstance(node, ast.Attribute) else None
            if not base or not hasattr(base[0], node.attr):
                return None
            value = getattr(base[0], node.attr)
            # A member of Triton's modules that a library has put there is the library's.
            foreign = isinstance(base[0], types.ModuleType) and inspect.isroutine(value) and not is_known(getattr(value, "__module__", "triton"))
            return (value, node.attr) if foreign or is_passed_through(base[0]) else None

        def visit(node: Any, quoted: bool = False) -> None:
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                known = found(node)
                if known and not is_passed_through(known[0]):
                    made = self.piece(*known)
                    made.barred |= local
                    edits[place(node)] = made
                    return
                if known and isinstance(node, ast.Name):
                    raise Refusal(f"names {node.id}, {describe(known[0])}")
            for child in ast.iter_child_nodes(node):
                note = isinstance(node, (ast.arg, ast.FunctionDef)) and child in (getattr(node, "annotation", None), getattr(node, "returns", None))
                if not note:
                    visit(child)
                    continue
                # Nothing depends on an annotation but what Triton reads in its text: where it names a library's type, the text is left.
                try:
                    kept = dict(edits)
                    if texts_only:
                        raise Refusal
                    visit(child)
                except Refusal:
                    edits.clear()
                    edits.update(kept)
                    edits[place(child)] = repr(ast.get_source_segment(text, child)) if not isinstance(child, ast.Constant) else ast.unparse(child)

        visit(tree.body[0])
        head = re.compile(rb"(?:def|class)\s+(\w+)").search(raw, place(tree.body[0])[0])
        assert head
        edits[head.span(1)] = own
        parts, end = [], 0
        for first, last in sorted(edits):
            parts += [raw[end:first].decode(), edits[first, last]]
            end = last
        return [*parts, raw[end:].decode().rstrip()]


def cut(kernel: Any) -> Tuple[Optional[str], Optional[str]]:
    """The module's text, or None and the reason. `kernel` may have an autotuner, heuristics or objects of a library around it."""
    from triton.runtime.jit import JITFunction

    while not isinstance(kernel, JITFunction) and hasattr(kernel, "fn"):
        kernel = kernel.fn
    if not isinstance(kernel, JITFunction):
        return None, f"{describe(kernel)} is no kernel"
    made = Cut()
    try:
        entry = made.piece(kernel, kernel.__name__)
    except Refusal as e:
        return None, str(e)
    except (OSError, SyntaxError, RecursionError) as e:
        return None, f"its text cannot be read: {type(e).__name__}: {e}"
    taken = {entry.name}
    for piece in made.order:
        tries = (piece.wanted if i == 0 else f"{piece.wanted}_{i}" for i in itertools.count())
        if piece is not entry:
            piece.name = next(name for name in tries if name not in taken | piece.barred)
            taken.add(piece.name)
    texts = [piece.text() for piece in made.order]
    imports = sorted(text for text in texts if text.startswith(("import ", "from ")))
    rest = [text for text in texts if not text.startswith(("import ", "from "))]
    return "\n".join([f"# {kernel.__name__} of {kernel.__module__}, with what it calls and names.\n", *imports, *spaced(rest)]) + "\n", None


def spaced(texts: List[str]) -> List[str]:
    """Definitions with empty lines before them, values without."""
    return ["\n\n" + text if "\n" in text else text for text in texts]
