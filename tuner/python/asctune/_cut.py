"""Writes a Triton kernel out as a module of its own, with all that it calls and names, without its autotuner.

What is needed is in the living objects: a function's text, its globals, its closure. Of the names in the text, what Triton or the standard library defines is
imported; other functions and classes are written out in turn; values are written down; of any other module, the members that the text asks for are taken
(`ext.program_id`). A name stays as it is unless two things have it, or a local variable has. The same objects give the same text.
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
from typing import Any, Dict, List, Optional, Set, Tuple

# Packages that are wherever Triton is. Python has a list of its own since 3.10; before, these are what kernels have been seen to name.
KNOWN = {"triton", *getattr(sys, "stdlib_module_names", ("builtins", "collections", "copy", "enum", "functools", "itertools", "math", "operator"))}
OPTIONS = ("do_not_specialize", "do_not_specialize_on_alignment", "noinline", "debug", "_repr")  # of triton.jit, as a JITFunction has them


class Refusal(Exception):
    """Says what stands in the way of a text."""


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


class Cut:
    def __init__(self) -> None:
        from triton.runtime.jit import JITFunction

        self.jit, self.language = JITFunction, sys.modules["triton.language"]
        self.names: Dict[Any, str] = {}  # by the address of what is defined, or by name and text of a value
        self.kept: List[Any] = []  # what has these addresses
        self.imports: List[str] = []
        self.texts: List[str] = []  # what is named comes before what names it

    def choose(self, key: Any, wanted: str, local: Set[str]) -> str:
        """A new name: the one that is wanted, or that with a number. The kernel itself, which comes first, has its own."""
        tries = (f"{wanted}_{i}" if i else wanted for i in itertools.count())
        self.names[key] = next(name for name in tries if not self.names or name not in local.union(self.names.values(), dir(builtins)))
        return self.names[key]

    def name(self, value: Any, wanted: str, local: Set[str]) -> str:
        """Stand-in for a value that a text calls `wanted`, in a function with the variables `local`."""
        is_value = not isinstance(value, types.ModuleType) and (not callable(value) or isinstance(value, self.language.constexpr))
        written = self.written(value, wanted) if is_value else ""
        key: Any = (wanted, written) if is_value else id(value)
        if key not in self.names:
            self.kept.append(value)
            home = None if is_value else self.home(value)
            function = None if is_value or home else inspect.unwrap(getattr(value, "fn", value))
            name = self.choose(key, getattr(function, "__name__", wanted), local)  # before its text, which may name it
            if home:
                self.imports.append(home + (f" as {name}" if home.split()[-1] != name else ""))
            else:
                self.texts.append(f"{name} = {written}" if is_value else self.defined(value, function, name))
        while self.names[key] in local:  # a variable of this function, which is not the first to name the value
            other = (key, self.names[key])
            if other not in self.names:
                self.texts.append(f"{self.choose(other, wanted, local)} = {self.names[key]}")
            key = other
        return self.names[key]

    def home(self, value: Any) -> Optional[str]:
        """The statement that imports a value, without the name that it gets."""
        if isinstance(value, types.ModuleType):
            return f"import {value.__name__}"
        # Triton may call what it wraps otherwise than its function is called, so that all of its language is looked through.
        for home in (value.__module__, *sorted(key for key in sys.modules if key.startswith("triton.language"))) if is_known(value) else ():
            members = vars(sys.modules[home]) if home in sys.modules else {}
            for key in (getattr(value, "__name__", ""), *sorted(members)):
                if members.get(key) is value:
                    return f"from {home} import {key}"
        return None

    def defined(self, value: Any, function: Any, name: str) -> str:
        if isinstance(value, self.jit):
            if value.is_gluon():
                raise Refusal(f"{name} is a kernel of Gluon")
            options = ", ".join(f"{key.lstrip('_')}={self.written(getattr(value, key), key)}" for key in OPTIONS if getattr(value, key, None))
            return f"\n\n@{self.name(sys.modules['triton'], 'triton', set())}.jit{options and f'({options})'}\n" + self.body(value.src, function, name)
        try:
            return "\n\n" + self.body(textwrap.dedent(inspect.getsource(function)), function, name)
        except (OSError, TypeError):
            if not hasattr(value, "_fields"):
                raise refusal(name, value) from None
            defaults = self.written((*value._field_defaults.values(),), name)
            return f"{name} = {self.name(collections.namedtuple, 'namedtuple', set())}({name!r}, {value._fields!r}, defaults={defaults})"

    def written(self, value: Any, name: str) -> str:
        """A value as the text of an expression."""
        try:
            if type(value).__module__ == "builtins" and ast.literal_eval(repr(value)) == value:
                return repr(value)
        except (ValueError, SyntaxError):
            pass
        if isinstance(value, float):
            return f'float("{value}")'
        if isinstance(value, enum.Enum):
            return f"{self.name(type(value), type(value).__name__, set())}.{value.name}"
        if isinstance(value, self.language.constexpr):
            return f"{self.name(self.language, 'tl', set())}.constexpr({self.written(value.value, name)})"
        if type(value) is self.language.dtype:
            return f"{self.name(self.language, 'tl', set())}.dtype({value.name!r})"
        if isinstance(value, (tuple, list)):
            maker = self.name(type(value), type(value).__name__, set()) + ("._make" if hasattr(value, "_fields") else "")
            return f"{maker}([{', '.join(self.written(item, name) for item in value)}])"
        if not callable(value):
            raise refusal(name, value)
        return self.name(value, getattr(value, "__name__", name), set())

    def body(self, text: str, function: Any, own: str) -> str:
        """The text of a function or class, with the new names."""
        tree = ast.parse(text).body[0]
        if not isinstance(tree, (ast.FunctionDef, ast.ClassDef)):
            raise refusal(own, function)
        nodes = list(ast.walk(tree))
        bound = [node for node in nodes[1:] if isinstance(node, (ast.arg, ast.FunctionDef, ast.ClassDef)) or isinstance(getattr(node, "ctx", None), ast.Store)]
        local = {getattr(node, key) for node in bound for key in ("arg", "name", "id") if hasattr(node, key)}
        code = getattr(function, "__code__", None)  # a class has none
        are_texts = code and code.co_flags & __future__.annotations.compiler_flag
        scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals} if code else vars(sys.modules[function.__module__])
        raw = text.encode()  # columns count bytes
        starts = [0, *itertools.accumulate(map(len, raw.splitlines(keepends=True)))]
        name = re.compile(rb"(?:def|class)\s+(\w+)").search(raw, starts[tree.lineno - 1])
        edits: Dict[Tuple[int, int], str] = {name.span(1): own}  # type: ignore[union-attr]  # by first byte and end: what stands there

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
                edits[place(node)] = self.name(*found, local)
                return
            if found and isinstance(node, ast.Name):
                raise refusal(node.id, found[0])
            notes = () if isinstance(node, ast.AnnAssign) else (getattr(node, "annotation", None), getattr(node, "returns", None))
            for child in ast.iter_child_nodes(node):
                # Triton reads what an annotation is called: this is a text where it was one, or where it names what is not Triton's.
                named = [find(part) for part in ast.walk(child)] if child in notes else []
                if child not in notes or all(is_known(known[0]) for known in named if known) and not are_texts:
                    visit(child)
                else:
                    edits[place(child)] = repr(child.value if isinstance(child, ast.Constant) else ast.get_source_segment(text, child))

        visit(tree)
        for (first, last), new in sorted(edits.items(), reverse=True):
            raw = raw[:first] + new.encode() + raw[last:]
        return raw.decode().rstrip()


def cut(kernel: Any) -> Tuple[Optional[str], Optional[str]]:
    """The module's text, or None and the reason. The kernel's function keeps its name; an autotuner and other objects may be around it."""
    made, found = Cut(), kernel
    while not isinstance(found, made.jit) and hasattr(found, "fn"):
        found = found.fn
    try:
        if not isinstance(found, made.jit):
            raise Refusal(f"{kernel!r} is no kernel")
        name = made.name(found, found.__name__, set())
    except Refusal as e:
        return None, str(e)
    except (OSError, SyntaxError, RecursionError) as e:
        return None, f"its text cannot be read: {type(e).__name__}: {e}"
    return "\n".join([f"# {name} of {found.__module__}, with what it calls and names.\n", *sorted(made.imports), *made.texts, ""]), None
