"""Writes a Triton kernel out as a module of its own, with all that it calls and names, without its autotuner.

What is needed is in the living objects: a function's text, its globals, its closure. Of the names in the text, what Triton or the standard library defines is
imported; other functions and classes are written out in turn; values are written down; of any other module, the members that the text asks for are taken
(`ext.program_id`). A name stays as it is unless two things have it, or a local variable somewhere. The same objects give the same text.
"""

from __future__ import annotations

import __future__

import ast
import builtins
import collections
import enum
import inspect
import itertools
import re
import sys
import textwrap
import types
from typing import Any, Dict, List, Optional, Set, Tuple, Union

# Packages that are wherever Triton is. Python has a list of its own since 3.10; before, these are what kernels have been seen to name.
KNOWN = {"triton", *getattr(sys, "stdlib_module_names", ("builtins", "collections", "copy", "enum", "functools", "itertools", "math", "operator"))}
OPTIONS = ("do_not_specialize", "do_not_specialize_on_alignment", "noinline", "debug", "_repr")  # of triton.jit, as a JITFunction has them


class Refusal(Exception):
    """What stands in the way of a text."""


class Piece:
    """A definition or an import. In `parts` another piece stands for its name, which is chosen when all are known."""

    def __init__(self, wanted: str, value: Any) -> None:
        self.wanted = self.name = wanted
        self.value = value  # kept alive, so that its address stays its own
        self.barred: Set[str] = set(dir(builtins))  # with the local variables of all functions that name the piece
        self.parts: Parts = []


Parts = List[Union[str, Piece]]


def is_known(value: Any) -> bool:
    """True for a module of Triton or of Python, and for what it defines."""
    home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return isinstance(home, str) and home.partition(".")[0] in KNOWN


def is_transparent(value: Any) -> bool:
    """True for what has members and no text of its own, such as a library's module: the member takes the place of `value.member`."""
    plain = is_known(value) or callable(value) or isinstance(value, (tuple, enum.Enum)) or not hasattr(value, "__dict__")
    return not plain or isinstance(value, types.SimpleNamespace)


def refusal(name: str, value: Any) -> Refusal:
    return Refusal(f"names {name}, a {type(value).__module__}.{type(value).__qualname__}, which has no text")


def joined(items: List[Parts]) -> Parts:
    return [part for item in items for part in (*item, ", ")][:-1]


class Cut:
    def __init__(self) -> None:
        from triton.runtime.jit import JITFunction

        self.jit, self.language = JITFunction, sys.modules["triton.language"]
        self.pieces: Dict[Any, Piece] = {}  # by the address of what is defined, or by name and text of a value
        self.order: List[Piece] = []  # what is named comes before what names it

    def piece(self, value: Any, wanted: str) -> Piece:
        """What stands for a value, which the text calls `wanted`."""
        defined = isinstance(value, types.ModuleType) or (callable(value) and not isinstance(value, self.language.constexpr))
        written = [] if defined else self.written(value, wanted)
        key = id(value) if defined else (wanted, *written)
        if key not in self.pieces:
            made = self.pieces[key] = Piece(wanted, value)  # before its definition, which may name it
            made.parts = self.defined(made) if defined else [made, " = ", *written]
            self.order.append(made)
        return self.pieces[key]

    def defined(self, own: Piece) -> Parts:
        value = own.value
        if isinstance(value, types.ModuleType):
            return [f"import {value.__name__} as ", own]
        # Triton may call what it wraps otherwise than its function is called, so that all of its language is looked through.
        for home in (value.__module__, *sorted(key for key in sys.modules if key.startswith("triton.language"))) if is_known(value) else ():
            members = vars(sys.modules[home]) if home in sys.modules else {}
            for key in (getattr(value, "__name__", ""), *sorted(members)):
                if members.get(key) is value:
                    return [f"from {home} import {key} as ", own]
        function = inspect.unwrap(getattr(value, "fn", value))
        own.wanted = getattr(function, "__name__", own.wanted)
        if isinstance(value, self.jit):
            if value.is_gluon():
                raise Refusal(f"{own.wanted} is a kernel of Gluon")
            options = [[f"{key.lstrip('_')}=", *self.written(getattr(value, key), key)] for key in OPTIONS if getattr(value, key, None)]
            stated = ["(", *joined(options), ")"] if options else []
            return ["@", self.piece(sys.modules["triton"], "triton"), ".jit", *stated, "\n", *self.body(value.src, function, own)]
        try:
            return self.body(textwrap.dedent(inspect.getsource(function)), function, own)
        except (OSError, TypeError):
            if not hasattr(value, "_fields"):
                raise refusal(own.wanted, value) from None
            defaults = self.written((*value._field_defaults.values(),), own.wanted)
            return [own, " = ", self.piece(collections.namedtuple, "namedtuple"), f"({own.wanted!r}, {value._fields!r}, defaults=", *defaults, ")"]

    def written(self, value: Any, name: str) -> Parts:
        """A value as the text of an expression."""
        try:
            if type(value).__module__ == "builtins" and ast.literal_eval(repr(value)) == value:
                return [repr(value)]
        except (ValueError, SyntaxError):
            pass
        if isinstance(value, float):
            return [f'float("{value}")']
        if isinstance(value, enum.Enum):
            return [self.piece(type(value), type(value).__name__), f".{value.name}"]
        if isinstance(value, self.language.constexpr):
            return [self.piece(self.language, "tl"), ".constexpr(", *self.written(value.value, name), ")"]
        if type(value) is self.language.dtype:
            return [self.piece(self.language, "tl"), f".dtype({value.name!r})"]
        if isinstance(value, (tuple, list)):
            made: Parts = [self.piece(type(value), type(value).__name__), *(["._make"] if hasattr(value, "_fields") else [])]
            return [*made, "([", *joined([self.written(item, name) for item in value]), "])"]
        if not callable(value):
            raise refusal(name, value)
        return [self.piece(value, getattr(value, "__name__", name))]

    def body(self, text: str, function: Any, own: Piece) -> Parts:
        """The text of a function or class, with pieces in the place of names."""
        tree = ast.parse(text).body[0]
        if not isinstance(tree, (ast.FunctionDef, ast.ClassDef)):
            raise refusal(own.wanted, function)
        nodes = list(ast.walk(tree))
        bound = [node for node in nodes[1:] if isinstance(node, (ast.arg, ast.FunctionDef, ast.ClassDef)) or isinstance(getattr(node, "ctx", None), ast.Store)]
        local = {getattr(node, key) for node in bound for key in ("arg", "name", "id") if hasattr(node, key)}
        code = getattr(function, "__code__", None)  # a class has none
        are_texts = code and code.co_flags & __future__.annotations.compiler_flag
        scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals} if code else vars(sys.modules[function.__module__])
        raw = text.encode()  # columns count bytes
        starts = [0, *itertools.accumulate(map(len, raw.splitlines(keepends=True)))]
        name = re.compile(rb"(?:def|class)\s+(\w+)").search(raw, starts[tree.lineno - 1])
        edits: Dict[Tuple[int, int], Union[str, Piece]] = {name.span(1): own}  # type: ignore[union-attr]  # by first byte and end: what stands there

        def place(node: Any) -> Tuple[int, int]:
            return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

        def find(node: Any) -> Optional[Tuple[Any, str]]:
            """A global, or the member that a chain of transparent ones ends in, and its name."""
            if isinstance(node, ast.Name) and node.id not in local and node.id in scope:
                return scope[node.id], node.id
            outer = find(node.value) if isinstance(node, ast.Attribute) else None
            return (getattr(outer[0], node.attr), node.attr) if outer and is_transparent(outer[0]) and hasattr(outer[0], node.attr) else None

        def visit(node: Any) -> None:
            found = find(node) if isinstance(getattr(node, "ctx", None), ast.Load) else None
            if found and not is_transparent(found[0]):
                edits[place(node)] = made = self.piece(*found)
                made.barred |= local
                return
            if found and isinstance(node, ast.Name):
                raise refusal(node.id, found[0])
            notes = () if isinstance(node, ast.AnnAssign) else (getattr(node, "annotation", None), getattr(node, "returns", None))
            for child in ast.iter_child_nodes(node):
                # Of an annotation Triton reads what it is called: it is a text where it was one, or where it names what is not Triton's.
                named = [find(part) for part in ast.walk(child)] if child in notes else []
                if child not in notes or all(is_known(known[0]) for known in named if known) and not are_texts:
                    visit(child)
                else:
                    edits[place(child)] = repr(child.value if isinstance(child, ast.Constant) else ast.get_source_segment(text, child))

        visit(tree)
        ends = [0, *(end for _, end in sorted(edits))]
        parts = [part for end, key in zip(ends, sorted(edits)) for part in (raw[end:key[0]].decode(), edits[key])]
        return [*parts, raw[ends[-1]:].decode().rstrip()]


def cut(kernel: Any) -> Tuple[Optional[str], Optional[str]]:
    """The module's text, or None and the reason. The kernel's function keeps its name; an autotuner and other objects may be around it."""
    made, found = Cut(), kernel
    while not isinstance(found, made.jit) and hasattr(found, "fn"):
        found = found.fn
    try:
        if not isinstance(found, made.jit):
            raise Refusal(f"{kernel!r} is no kernel")
        entry = made.piece(found, found.__name__)
    except Refusal as e:
        return None, str(e)
    except (OSError, SyntaxError, RecursionError) as e:
        return None, f"its text cannot be read: {type(e).__name__}: {e}"
    taken = {entry.wanted}
    for piece in made.order:
        tries = (f"{piece.wanted}_{i}" if i else piece.wanted for i in itertools.count())
        piece.name = entry.wanted if piece is entry else next(name for name in tries if name not in taken | piece.barred)
        taken.add(piece.name)
    texts = ["".join(part.name if isinstance(part, Piece) else part for part in piece.parts) for piece in made.order]
    imports = sorted(re.sub(r"(import (\S+)) as \2$", r"\1", text) for text in texts if text.startswith(("import ", "from ")))
    rest = ["\n\n" + text if "\n" in text else text for text in texts if not text.startswith(("import ", "from "))]
    return "\n".join([f"# {entry.name} of {found.__module__}, with what it calls and names.\n", *imports, *rest, ""]), None
