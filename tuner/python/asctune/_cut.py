"""Writes a Triton kernel out as a module of its own, with all that it calls and names, without its autotuner.

`cut` takes a kernel that lives, where what is needed is in the objects, a function's text, its globals, its closure; or one that a package has as text, of which
nothing runs. Of the names in the text, what Triton or the standard library defines is imported; other functions and classes are written out in turn,
values are written down; of any other module, the members that the text asks for are taken (`ext.program_id`). A name stays as it is unless two things have it,
or a local variable has. The same objects, and the same texts, give the same module.
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
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

# Packages that are wherever Triton is. Python has a list of its own since 3.10; before, these are what kernels have been seen to name.
KNOWN = {"triton", *getattr(sys, "stdlib_module_names", ("builtins", "collections", "copy", "enum", "functools", "itertools", "math", "operator", "os", "typing"))}
OPTIONS = ("do_not_specialize", "do_not_specialize_on_alignment", "noinline", "debug", "_repr")  # of triton.jit, as a JITFunction has them
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SCOPES = (*DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)  # these have variables of their own


class Refusal(Exception):
    """Says what stands in the way of a text: what was looked for, and the names that there are."""

    def __init__(self, text: str, name: Optional[str] = None, names: Any = ()) -> None:
        super().__init__(text)
        self.answer = {"error": text, "name": name, "names": list(names)}


def refusal(name: str, value: Any) -> Refusal:
    return Refusal(f"names {name}, a {type(value).__module__}.{type(value).__qualname__}, which has no text")


# ---- syntax ----


def name_of(node: Any) -> Optional[str]:
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


def base_of(node: Any) -> Optional[str]:
    """The name that a chain begins with: `x` of x[0].kwargs["BLOCK"]."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def statements(body: List[Any]) -> Iterator[Any]:
    """Statements of a module, also within `if`, `try` and the like, but not within functions and classes."""
    for node in body:
        yield node
        if not isinstance(node, DEFINITIONS):
            for part in ("body", "handlers", "orelse", "finalbody"):
                yield from statements(getattr(node, part, []))


def is_jit(node: Any) -> bool:
    """True for `triton.jit` and for a call of it; for a function, where one of its decorators is."""
    return any(map(is_jit, getattr(node, "decorator_list", ()))) or name_of(getattr(node, "func", node)) == "jit"


def bound_by(node: Any) -> Set[Optional[str]]:
    """Names that a statement of a module binds or changes, without the statements within it."""
    if isinstance(node, DEFINITIONS):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    targets = getattr(node, "targets", [target for target in [getattr(node, "target", None)] if target])
    return {base_of(part) for target in targets for part in ast.walk(target) if hasattr(part, "ctx") and not isinstance(part.ctx, ast.Load)} - {None}


# ---- the module that is written ----


class Cut:
    """Subclasses know what a name stands for, a `value`: `key` tells values apart, `add` writes one that is new."""

    def __init__(self) -> None:
        self.names: Dict[Any, str] = {}  # by the values' keys
        self.imports: List[str] = []
        self.texts: List[str] = []  # what is named comes before what names it

    def choose(self, key: Any, wanted: str, local: Set[str]) -> str:
        """A new name: the one that is wanted, or that with a number. The kernel itself, which comes first, has its own."""
        tries = (f"{wanted}_{i}" if i else wanted for i in itertools.count())
        self.names[key] = next(name for name in tries if not self.names or name not in local.union(self.names.values(), dir(builtins)))
        return self.names[key]

    def name(self, value: Any, wanted: str, local: Set[str]) -> str:
        """Stand-in for a value that a text calls `wanted`, in a function with the variables `local`."""
        key = self.key(value, wanted)
        if key not in self.names:
            self.add(key, value, wanted, local)
        while self.names[key] in local:  # a variable of this function, which is not the first to name the value
            other = (key, self.names[key])
            if other not in self.names:
                self.texts.append(f"{self.choose(other, wanted, local)} = {self.names[key]}")
            key = other
        return self.names[key]

    def body(self, text: str, tree: Any, own: Dict[Any, str], scope: Any, are_texts: bool) -> str:
        """The text of a statement with new names: `own` has those that it binds, `scope` what others stand for. `are_texts`: so the module has annotations."""
        raw = text.encode()  # columns count bytes
        starts = [0, *itertools.accumulate(map(len, raw.splitlines(keepends=True)))]
        edits: Dict[Tuple[int, int], str] = {}  # by first byte and end: what stands there

        def place(node: Any) -> Tuple[int, int]:
            return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

        def find(node: Any, local: Set[str]) -> Optional[Tuple[Any, str]]:
            """A global, or the member that a chain of transparent ones ends in, and its name."""
            if isinstance(node, ast.Name) and node.id not in local and node.id in scope:
                return scope[node.id], node.id
            outer = find(node.value, local) if isinstance(node, ast.Attribute) else None
            return next(((value, node.attr) for value in self.inside(outer[0], node.attr) or ()), None) if outer else None

        def visit(node: Any, local: Set[str], is_top: bool) -> None:
            found = find(node, local) if isinstance(getattr(node, "ctx", None), ast.Load) else None
            if found and self.inside(found[0], "") is None:
                edits[place(node)] = self.name(*found, local)
                return
            if found and isinstance(node, ast.Name):
                raise refusal(node.id, found[0])
            if is_top and isinstance(node, (ast.Import, ast.ImportFrom)):
                edits[place(node)] = "pass"  # what it imports is named otherwise
            called = find(node.func, local) if is_top and isinstance(node, ast.Call) else None
            if called and isinstance(called[0], tuple) and any(isinstance(part, ast.FunctionDef) for part in called[0][0].places(called[0][1])):
                raise Refusal(f"calls {called[1]}()")  # which may ask for a GPU: a compile has none
            if is_top and isinstance(node, DEFINITIONS):
                edits[re.compile(rb"(?:def|class)\s+(\w+)").search(raw, starts[node.lineno - 1]).span(1)] = own[node.name]  # type: ignore[union-attr]
            elif is_top and isinstance(node, ast.Name) and node.id in own:
                edits[place(node)] = own[node.id]
            if is_top and isinstance(node, SCOPES):
                bound = [part for part in ast.walk(node) if isinstance(part, (ast.arg, *DEFINITIONS)) or isinstance(getattr(part, "ctx", None), ast.Store)]
                local, is_top = {getattr(part, key) for part in bound if part is not node for key in ("arg", "name", "id") if hasattr(part, key)}, False
            notes = () if isinstance(node, ast.AnnAssign) else (getattr(node, "annotation", None), getattr(node, "returns", None))
            tuners = [part for part in getattr(node, "decorator_list", ()) if is_jit(node) and not is_jit(part)]
            for child in ast.iter_child_nodes(node):
                # Of an annotation Triton reads what it is called: it is a text where it was one, or where it names what is not Triton's.
                named = [find(part, local) for part in ast.walk(child)] if child in notes else []
                if child in tuners:
                    edits[starts[child.lineno - 1], starts[child.end_lineno]] = ""
                elif child not in notes or all(self.is_known(known[0]) for known in named if known) and not are_texts:
                    visit(child, local, is_top)
                else:
                    edits[place(child)] = repr(child.value if isinstance(child, ast.Constant) else ast.get_source_segment(text, child))

        visit(tree, set(), True)
        for (first, last), new in sorted(edits.items(), reverse=True):
            raw = raw[:first] + new.encode() + raw[last:]
        return raw.decode().rstrip()


# ---- kernels that live ----


class Living(Cut):
    def __init__(self) -> None:
        from triton.runtime.jit import JITFunction

        super().__init__()
        self.jit, self.language = JITFunction, sys.modules["triton.language"]
        self.kept: List[Any] = []  # what has the addresses that are keys

    def bare(self, kernel: Any) -> Any:
        if not isinstance(kernel, self.jit) and not hasattr(kernel, "fn"):
            raise Refusal(f"{kernel!r} is no kernel")
        return kernel if isinstance(kernel, self.jit) else self.bare(kernel.fn)

    def is_known(self, value: Any) -> bool:
        """True for a module of Triton or of Python, and for what it defines."""
        home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
        return isinstance(home, str) and home.partition(".")[0] in KNOWN

    def inside(self, value: Any, name: str) -> Optional[List[Any]]:
        """A member of what has no text of its own, such as a library's module: it takes the place of `value.member`. None for all else."""
        plain = self.is_known(value) or callable(value) or isinstance(value, (tuple, enum.Enum)) or not hasattr(value, "__dict__")
        return None if plain and not isinstance(value, types.SimpleNamespace) else [getattr(value, name)] if hasattr(value, name) else []

    def key(self, value: Any, wanted: str) -> Any:
        """The address of what is defined, or name and text of a value."""
        is_value = not isinstance(value, types.ModuleType) and (not callable(value) or isinstance(value, self.language.constexpr))
        return (wanted, self.written(value, wanted)) if is_value else id(value)

    def add(self, key: Any, value: Any, wanted: str, local: Set[str]) -> None:
        is_value = isinstance(key, tuple)
        self.kept.append(value)
        home = None if is_value else self.home(value)
        function = None if is_value or home else inspect.unwrap(getattr(value, "fn", value))
        name = self.choose(key, getattr(function, "__name__", wanted), local)  # before its text, which may name it
        if home:
            self.imports.append(f"{home} as {name}")
        else:
            self.texts.append(f"{name} = {key[1]}" if is_value else self.defined(value, function, name))

    def home(self, value: Any) -> Optional[str]:
        """The statement that imports a value, without the name that it gets."""
        if isinstance(value, types.ModuleType):
            return f"import {value.__name__}"
        # Triton may call what it wraps otherwise than its function is called, so that all of its language is looked through.
        for home in (value.__module__, *sorted(key for key in sys.modules if key.startswith("triton.language"))) if self.is_known(value) else ():
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
            return f"\n\n@{self.name(sys.modules['triton'], 'triton', set())}.jit{options and f'({options})'}\n" + self.source(value.src, function, name)
        try:
            return "\n\n" + self.source(textwrap.dedent(inspect.getsource(function)), function, name)
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

    def source(self, text: str, function: Any, own: str) -> str:
        """The text of a function or class, with the new names."""
        tree = ast.parse(text).body[0]
        if not isinstance(tree, (ast.FunctionDef, ast.ClassDef)):
            raise refusal(own, function)
        code = getattr(function, "__code__", None)  # a class has none
        are_texts = bool(code and code.co_flags & __future__.annotations.compiler_flag)
        scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals} if code else vars(sys.modules[function.__module__])
        return self.body(text, tree, {tree.name: own}, scope, are_texts)


# ---- kernels in texts ----


class Module:
    """A file of a package, as text. A name of it stands for a statement that imports it from Triton or Python, a Module, a (Module, name) that statements bind,
    or a Refusal. `package.module(NAME)` gives the others."""

    def __init__(self, name: str, file: str, text: str, package: Any) -> None:
        self.name, self.file, self.text, self.package, self.tree = name, file, text, package, ast.parse(text)
        self.bound: Dict[Any, List[Tuple[Any, Any]]] = {}  # statements of the module, and those within them which bind a name
        for outer in self.tree.body:
            for inner in statements([outer]):
                for key in bound_by(inner):
                    self.bound.setdefault(key, []).append((outer, inner))
        self.are_texts = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" and "annotations" in bound_by(node) for node in self.tree.body)

    def home(self, node: Any) -> str:
        """The module that a statement imports from."""
        above = self.name.split(".")[: len(self.name.split(".")) + self.file.endswith("__init__.py") - node.level] if node.level else []
        return ".".join([*above, *([node.module] if node.module else [])])

    def imported(self, node: Any, name: str) -> Any:
        alias = next(alias for alias in node.names if name == (alias.asname or alias.name.partition(".")[0]))
        home = self.home(node) if isinstance(node, ast.ImportFrom) else alias.name if alias.asname else name
        if home.partition(".")[0] in KNOWN:
            return f"from {home} import {alias.name}" if isinstance(node, ast.ImportFrom) else f"import {home}"
        module = self.package.module(home)
        if module is self and isinstance(node, ast.ImportFrom):  # `from . import part`, in the text of the package itself
            return self.package.module(f"{home}.{alias.name}")
        return module if isinstance(node, ast.Import) or isinstance(module, Refusal) else module.member(alias.name)

    def __contains__(self, name: str) -> bool:
        return name in self.bound or not hasattr(builtins, name)

    def __getitem__(self, name: str) -> Any:
        if name not in self.bound:
            return Refusal(f"{self.file} has no {name}")
        imports = [self.imported(node, name) for _, node in self.bound[name] if isinstance(node, (ast.Import, ast.ImportFrom))]
        others = [outer is inner for outer, inner in self.bound[name] if not isinstance(inner, (ast.Import, ast.ImportFrom))]
        if imports and any(others):
            return Refusal(f"{self.file} imports {name} and binds it")
        # Triton's own comes before what takes its place where there is none, as in `if HAS_TRITON: import triton`.
        imports.sort(key=lambda value: 2 * isinstance(value, Refusal) + (not isinstance(value, str)))
        return imports[0] if imports and not (others and isinstance(imports[0], Refusal)) else (self, name)

    def member(self, name: str) -> Any:
        return self[name] if name in self.bound else self.package.module(f"{self.name}.{name}")

    def places(self, name: str) -> List[Any]:
        """The statements that make a name: of one that is bound once its own, else those of the module, but not what puts an autotuner around a kernel."""
        kernels = [places for places in self.bound[name] if is_jit(places[1]) and [outer for outer, _ in self.bound[name]].count(places[0]) == 1]
        made = kernels if len(kernels) == 1 else self.bound[name]
        return [made[0][1]] if len(made) == 1 and isinstance(made[0][0], (ast.If, ast.Try)) else [outer for outer, _ in made]


    def check_fixed(self, name: str) -> None:
        """Refuses a name whose value depends on an import that may fail, or that is changed later than it is bound."""
        for outer, _ in self.bound[name]:
            parts = [part for part in ast.walk(outer) if isinstance(outer, ast.Try) and isinstance(part, (ast.Import, ast.ImportFrom))]
            homes = [part.module or "." if isinstance(part, ast.ImportFrom) else part.names[0].name for part in parts]
            if any(home.partition(".")[0] not in KNOWN for home in homes):
                raise Refusal(f"names {name}, which {self.file}:{outer.lineno} sets by whether an import works")
        calls = [node for node in self.tree.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and base_of(node.value.func) == name]
        changes = calls + [node for node in ast.walk(self.tree) if isinstance(node, ast.Global) and name in node.names]
        if changes:
            raise Refusal(f"names {name}, which {self.file}:{changes[0].lineno} changes")


class Written(Cut):
    def is_known(self, value: Any) -> bool:
        return isinstance(value, str)

    def inside(self, value: Any, name: str) -> Optional[List[Any]]:
        return [value.member(name)] if isinstance(value, Module) else None

    def key(self, value: Any, wanted: str) -> Any:
        return (value[0].name, value[1]) if isinstance(value, tuple) else value

    def add(self, key: Any, value: Any, wanted: str, local: Set[str]) -> None:
        if isinstance(value, Refusal):
            raise Refusal(f"names {wanted}: {value}")
        if isinstance(value, str):
            self.imports.append(f"{value} as {self.choose(key, wanted, local)}")
            return
        module, names, found = value[0], [], [value[1]]
        while len(names) < len(found):  # statements may bind other names, which others bind, too
            names, nodes = found, {id(node): node for name in found for node in module.places(name)}
            inner = {key for node in statements([*nodes.values()]) for key in bound_by(node)}
            found = [*names, *sorted(key for key in inner.difference(names) if isinstance(module[key], tuple))]
        for name in names:
            module.check_fixed(name)
        own = {name: self.choose((module.name, name), name, local) for name in names}
        for node in sorted(nodes.values(), key=lambda node: node.lineno):
            first = min(part.lineno for part in (node, *getattr(node, "decorator_list", ())))
            text = textwrap.dedent("\n".join(module.text.split("\n")[first - 1 : node.end_lineno]) + "\n")
            try:
                self.texts.append("\n\n" * isinstance(node, DEFINITIONS) + self.body(text, ast.parse(text).body[0], own, module, module.are_texts))
            except Refusal as e:
                computed = "" if isinstance(node, DEFINITIONS) else f"names {value[1]}, which {module.file}:{node.lineno} computes as it is imported: "
                raise Refusal(f"{computed}{e}") from None


def cut(*kernels: Any, module: Optional[Module] = None) -> Tuple[Optional[str], Optional[str]]:
    """The module's text, or None and the reason. Kernels live, and may have an autotuner and other objects around them, or are names in a module's text. The
    first keeps its name."""
    try:
        made: Any = Written() if module else Living()
        found = [(module, kernel) if module else made.bare(kernel) for kernel in kernels]
        name, *_ = [made.name(value, value[1] if module else value.__name__, set()) for value in found]
    except Refusal as e:
        return None, str(e)
    except (ImportError, OSError, SyntaxError, RecursionError) as e:
        return None, f"its text cannot be read: {type(e).__name__}: {e}"
    home = module.name if module else found[0].__module__
    return "\n".join([f"# {name} of {home}, with what it calls and names.\n", *sorted(re.sub(r" (\w+) as \1$", r" \1", line) for line in made.imports), *made.texts, ""]), None
