"""Reads a Triton kernel with its autotuner out of a file, for `asctune import-triton`, and asks libraries what they call the tables of theirs.

`python -c TEXT CUTTER COMMON find SOURCE PACKAGE [TABLES]` reads the text alone: nothing of it runs. CUTTER is the text of asctune/_cut.py, COMMON that of
triton_helper.py, SOURCE is FILE.py:kernel or package.module:kernel, PACKAGE a wheel, a source archive or a folder that has the module, "" where it is
installed, TABLES a folder of the package ("tables": texts of what ends in .json there, by name). `python -c TEXT CUTTER COMMON import FILE MODULE NAME...` imports the module (MODULE: its name, "" where only its path finds it) and asks Triton's
objects for what only Python can work out. Both print an object in JSON: {"error": TEXT, "name": ..., "names": [...]}, where "names" are those that there are and "absent": true says that the package is not there at all, or {"file": PATH, "module": ..., "package": [NAME, VERSION]
or [], "executable": PATH, "reads": [PATH...], "text": TEXT, "reason": TEXT, "kernels": [KERNEL...]}. "text" is the kernels written out alone, null where
"reason" says why not, or where a file is of no package; "digest" is that of the text. The second kernel is the first one's twin for NPUs. A KERNEL has

    name        of the function
    tuned       false: there is no autotuner
    library     whose autotuner it is: "flaggems" or "fla"; null: neither
    configs     [[[NAME, VALUE]...]...]; null: only an import tells
    keys        [NAME...]; null: only an import tells
    heuristics  [[NAME, TEXT]...]; null: only an import tells
    others      [[NAME, TEXT]...], further arguments of the autotuner
    grid        [TEXT...], formulas, of a launcher in the file; [] where there is none
    parameters  [{"name", "constexpr", "type", "role", "descriptor", "value", "formula", "shape"}...]: role is "in", "out" or "inout" of a pointer or of a
                descriptor that the host makes ("descriptor": true), else null; value is that of a default; formula and shape are what the launcher passes

`python -c TEXT CUTTER COMMON ask FILE` answers questions about tables of results, for `asctune export`: reports/exchange/reader_ask.c has both forms. No device is
opened. `python -c TEXT CUTTER COMMON where` prints "executable" and "reads" alone.
"""

import sys

sys.path[:] = [path for path in sys.path if path]  # the current folder, which anybody may have filled, has none of the modules below

import ast
import copy
import functools
import hashlib
import importlib.util
import io
import itertools
import json
import os
import pathlib
import re
import resource
import tarfile
import traceback
import types
import zipfile

cutter, common = types.ModuleType("cutter"), types.ModuleType("common")
exec(sys.argv.pop(1), vars(cutter))
exec(sys.argv.pop(1), vars(common))
base_of, is_jit, name_of, statements, Refusal, last_line = cutter.base_of, cutter.is_jit, cutter.name_of, cutter.statements, cutter.Refusal, common.last_line

AUTOTUNERS = ("autotune", "libtuner", "fla_cache_autotune")
LIBRARIES = {"libtuner": "flaggems", "fla_cache_autotune": "fla"}  # these have tables of their own
WRAPPERS = ("heuristics", "jit", "libentry")  # these have no list
TYPES = {**{name: ours for ours, name in common.DTYPES.items()}, **common.NAMES, **{name: name for name in common.DTYPES},
         "int": "i32", "float": "f32", "half": "f16", "double": "f64"}
READERS = (*AUTOTUNERS, "heuristics", "Config", "enumerate", "len", "list", "print", "sorted", "tuple", "zip")  # these change no list
MOST_CONFIGS = 4096
MOST_BYTES = 16 << 20
MOST_MEMORY = MOST_UNPACKED = 4 << 30


class Unknown(Exception):
    """Only an import tells."""


# ---- values, worked out without running the file ----


def constants_in(module):
    """Expressions by the names that a module binds once, gives no other name, and passes to no function that may change them."""
    loose = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            loose.add(base_of(node.func) if isinstance(node.func, ast.Attribute) else None)  # a method, such as append()
            if name_of(node.func) not in READERS:
                loose.update(base_of(value) for value in (*node.args, *(keyword.value for keyword in node.keywords if keyword.arg not in ("configs", "key"))))
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load) or isinstance(node, ast.Assign):
            loose.add(base_of(node.value))  # changed, or has another name
    made = {name: places[0] for name, places in module.bound.items() if len(places) == 1 and name not in loose}
    return {name: node.value for name, (outer, node) in made.items() if outer is node and isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}


class Plain(ast.NodeTransformer):
    """Changes an expression, and takes nothing but what its methods are for and the kinds of nodes named in `kinds`."""

    def changed(self, node):
        return ast.fix_missing_locations(self.visit(copy.deepcopy(node)))

    def generic_visit(self, node):
        if not isinstance(node, self.kinds):
            raise Unknown()
        return super().generic_visit(node)


class Evaluator(Plain):
    """Works out expressions of lists, comprehensions, arithmetic, triton.Config and constants of the module."""

    kinds = (ast.Constant, ast.Load, ast.Store, ast.List, ast.Tuple, ast.Dict, ast.Starred, ast.ListComp, ast.GeneratorExp, ast.comprehension, ast.BinOp,
             ast.UnaryOp, ast.BoolOp, ast.Compare, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.keyword)

    def __init__(self, constants):
        self.constants, self.values = constants, {}

    def value(self, node):
        """None where only an import tells."""
        try:
            plain = compile(ast.Expression(self.changed(node)), "value", "eval") if node else "None"
            return eval(plain, {**self.values, "__builtins__": {}, "Config": Config})
        except (Unknown, ArithmeticError, AttributeError, LookupError, MemoryError, NameError, SyntaxError, TypeError, ValueError):  # as an import would
            return None

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self.constants:
            self.values[node.id] = self.value(self.constants.pop(node.id))  # which may name itself
        if self.values.get(node.id, node) is None:
            raise Unknown()
        return node

    def visit_Call(self, node):
        if name_of(node.func) != "Config":
            raise Unknown()
        return ast.Call(ast.Name("Config", ast.Load()), [self.visit(part) for part in node.args], [self.visit(part) for part in node.keywords])


class Config:
    def __init__(self, kwargs, pre_hook=None, **options):
        if pre_hook is not None:
            raise Unknown()
        self.items = [[name, value] for name, value in (*kwargs.items(), *options.items()) if value is not None]


# ---- decorators ----


def arguments_of(call, order):
    """A call's arguments by name."""
    return {**dict(zip(order, call.args)), **{keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}}


def find_tuner(function, module):
    """The call that makes a kernel's autotuner: a decorator, or the outer one of `X = triton.autotune(...)(kernel)`; "other" where there are decorators of
    which an import may tell that; None where there is no autotuner. And its name in the module."""
    for node in function.decorator_list:
        if isinstance(node, ast.Call) and (name_of(node.func) in AUTOTUNERS or any(keyword.arg == "configs" for keyword in node.keywords)):
            return node, function.name
    for statement in statements(module.body):
        made = statement.value if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) else None
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Call) and name_of(made.func.func) in AUTOTUNERS:
            if [name_of(part) for part in made.args] == [function.name]:
                return made.func, statement.targets[0].id
    return ("other" if any(name_of(getattr(node, "func", node)) not in WRAPPERS for node in function.decorator_list) else None), function.name


def list_of(kind, found):
    return list(found) if isinstance(found, (list, tuple)) and all(isinstance(item, kind) for item in found) else None


def heuristics_of(function):
    call = next((node for node in function.decorator_list if isinstance(node, ast.Call) and name_of(node.func) == "heuristics"), None)
    node = arguments_of(call, ("values",)).get("values") if call else ast.Dict([], [])
    if not isinstance(node, ast.Dict) or not all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in node.keys):
        return None
    return [[key.value, ast.unparse(value)] for key, value in zip(node.keys, node.values)]


# ---- parameters ----


def leaf(node):
    """The name that an address begins with: `x` of x + offset[:, None] * stride."""
    while True:
        if isinstance(node, (ast.BinOp, ast.Subscript, ast.Attribute)):
            node = node.left if isinstance(node, ast.BinOp) else node.value
        elif isinstance(node, ast.Call) and name_of(node.func) in ("make_block_ptr", "make_tensor_descriptor", "advance", "cast", "to", "multiple_of"):
            method = isinstance(node.func, ast.Attribute) and name_of(node.func) == "to"
            node = node.func.value if method else node.args[0] if node.args else arguments_of(node, ()).get("base")
        else:
            return node.id if isinstance(node, ast.Name) else None


class Roles:
    """Which parameters of a function are addresses or descriptors that it reads or writes, also by functions of the same file that it calls."""

    def __init__(self, functions):
        self.functions, self.known = functions, {}

    def of(self, function):
        if function.name not in self.known:
            self.known[function.name] = {}  # as long as it calls itself
            self.known[function.name] = self.find(function)
        return self.known[function.name]

    def find(self, function):
        nodes, roles = list(ast.walk(function)), {}
        first = ((node.targets[0], node.value) for node in reversed(nodes) if isinstance(node, ast.Assign))
        assigned = {target.id: value for target, value in first if isinstance(target, ast.Name)}
        names = [parameter.arg for parameter in parameters_in(function)]

        def note(node, ways):
            if not isinstance(node, ast.Name) or node.id not in names:
                ways = ways - {"descriptor"}  # one that the function makes
            for _ in range(64):  # assignments may go round
                name = leaf(node) if node is not None else None
                if name is None or name in names:
                    break
                node = assigned.get(name)
            if name in names and ways:
                roles[name] = roles.get(name, set()) | ways

        for node in (node for node in nodes if isinstance(node, ast.Call)):
            called = name_of(node.func)
            module = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, (ast.Name, ast.Attribute))  # as tl.load, triton.language.load
            module = module and base_of(node.func) not in assigned and base_of(node.func) not in names
            target = node.args[0] if module and node.args else arguments_of(node, ()).get("pointer") if module else getattr(node.func, "value", None)
            ways = {"load": {"in"}, "store": {"out"}}.get(called, {"in", "out"} if str(called).startswith("atomic_") else set())
            if ways and target is not None:
                note(target, ways if module or len(ways) == 2 else {*ways, "descriptor"})
            elif isinstance(node.func, ast.Name) and called in self.functions:
                inner = self.of(self.functions[called])
                for name, value in arguments_of(node, [p.arg for p in parameters_in(self.functions[called])]).items():
                    note(value, inner.get(name, set()))
        return roles


def parameters_in(function):
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def describe(function, evaluator, roles, launch):
    positional = zip(reversed([*function.args.posonlyargs, *function.args.args]), reversed(function.args.defaults))
    found, defaults = [], {p.arg: d for p, d in (*positional, *zip(function.args.kwonlyargs, function.args.kw_defaults)) if d}
    for parameter in parameters_in(function):
        text = getattr(parameter.annotation, "value", None) if isinstance(parameter.annotation, ast.Constant) else name_of(parameter.annotation)
        known = roles.of(roles.functions[function.name]).get(parameter.arg, set())
        ways = known - {"descriptor"}
        value = evaluator.value(defaults.get(parameter.arg))
        found.append({"name": parameter.arg, "constexpr": text in ("constexpr", "tl.constexpr"), "type": TYPES.get(text),
                      "role": None if not ways else "inout" if len(ways) == 2 else min(ways), "descriptor": "descriptor" in known,
                      "value": value if is_plain(value) else None, "formula": launch.formulas.get(parameter.arg), "shape": launch.shape(parameter.arg)})
    return found


class Launch(Plain):
    """What a launcher beside the kernel passes, as ninetoothed generates it, in formulas of a workload: `kernel[lambda meta: (...)](x, x.size(0),
    x.stride(0))`. A size has the name of the kernel's parameter that it is passed for first, and tensors are contiguous."""

    kinds = (ast.Constant, ast.BinOp, ast.operator, ast.Load)

    def __init__(self, module, tuned, names):
        calls = [node for node in ast.walk(module) if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript)]
        call = next((node for node in calls if isinstance(node.func.value, ast.Name) and node.func.value.id == tuned), None)
        passed = list(zip(names, call.args)) if call else []
        self.tensors = {value.id: name for name, value in passed if isinstance(value, ast.Name)}
        self.sizes = {ast.unparse(value): name for name, value in reversed(passed) if isinstance(value, ast.Call) and name_of(value.func) == "size"}
        self.sizes = {text: name for text, name in self.sizes.items() if name in self.shape(self.tensors.get(text.partition(".")[0]))}
        self.formulas = {name: self.formula(value) for name, value in passed if self.sizes and not isinstance(value, ast.Name)}
        grid = getattr(call.func.slice, "body", call.func.slice) if self.sizes else None
        texts = [self.formula(part) for part in grid.elts] if isinstance(grid, ast.Tuple) else []
        self.grid = texts if all(texts) else []

    def shape(self, name):
        tensor = next((key for key, value in self.tensors.items() if value == name), None)
        axes = itertools.takewhile(self.sizes.get, (f"{tensor}.size({axis})" for axis in range(8)))
        return [self.sizes[axis] for axis in axes]

    def formula(self, node):
        try:
            return ast.unparse(self.changed(node))
        except Unknown:
            return None

    def visit_Call(self, node):
        if ast.unparse(node) in self.sizes:
            return ast.Name(self.sizes[ast.unparse(node)], ast.Load())
        shape = self.shape(self.tensors.get(base_of(node.func)))
        for axis in range(len(shape)) if name_of(node.func) == "stride" else ():
            if [ast.unparse(part) for part in node.args] == [str(axis)]:
                return ast.parse(" * ".join(shape[axis + 1:]) or "1", mode="eval").body
        raise Unknown()

    def visit_Subscript(self, node):  # meta["BLOCK"]
        if not isinstance(node.slice, ast.Constant) or not isinstance(node.slice.value, str):
            raise Unknown()
        return ast.Name(node.slice.value, ast.Load())


# ---- a kernel ----


def is_plain(value):
    """True for a value that a workload may have."""
    return isinstance(value, (bool, str)) or (isinstance(value, (int, float)) and abs(value) <= 2**53)


def listed(configs):
    """Configurations, with the text of what no workload may have as a value."""
    return [[[name, value if is_plain(value) else {"unfit": repr(value)}] for name, value in items] for items in itertools.islice(configs, MOST_CONFIGS + 1)]


def read_kernel(file, function, module, evaluator, roles):
    call, tuned = find_tuner(function, module)
    stated = arguments_of(call, ("configs", "key")) if isinstance(call, ast.Call) else {"configs": None, "key": None}
    if "configs" not in stated:
        raise Refusal(f"{file}: the autotuner of kernel {function.name} has no configs")
    configs = list_of(Config, evaluator.value(stated["configs"])) if call else []
    configs = configs and listed(config.items for config in configs)
    launch = Launch(module, tuned, [parameter.arg for parameter in parameters_in(function)])
    return {"name": function.name, "tuned": call is not None, "library": LIBRARIES.get(name_of(getattr(call, "func", None))), "configs": configs, "grid": launch.grid,
            "keys": list_of(str, evaluator.value(stated["key"])) if "key" in stated and call else [],
            "heuristics": heuristics_of(function),
            "others": [[name, ast.unparse(node)] for name, node in stated.items() if name not in ("configs", "key")],
            "parameters": describe(function, evaluator, roles, launch)}


def as_answer(text, reason):
    return {"text": text, "reason": reason, "digest": text and hashlib.sha256(text.encode()).hexdigest()[:16]}


def read_kernels(module, name, alone):
    """A kernel, and its twin for NPUs; then these written out, where they are to stand `alone`, and why they are not."""
    defined = [node for node in statements(module.tree.body) if isinstance(node, ast.FunctionDef)]
    functions = {node.name: node for node in defined}
    kernels = {key: function for key, function in functions.items() if is_jit(function)}
    lines = [str(node.lineno) for node in defined if node.name == name and is_jit(node)]
    if len(lines) > 1:
        raise Refusal(f"{module.file} defines kernel {name} on lines {', '.join(lines)}, expected once")
    if name not in kernels:
        tuned = [key for key, function in kernels.items() if find_tuner(function, module.tree)[0]]
        raise Refusal(f"{module.file} has no kernel {name}", name, kernels if alone else tuned or kernels)
    twins = [kernels[key] for key in (name, name + "_npu") if key in kernels]
    text, reason = cutter.cut(*(function.name for function in twins), module=module) if alone else (None, None)
    roles = Roles({node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)} if text else functions)
    evaluator = Evaluator(constants_in(module))
    return {"kernels": [read_kernel(module.file, function, module.tree, evaluator, roles) for function in twins], **as_answer(text, reason)}


# ---- packages ----


def parse(name, file, data, package=None):
    """A module, or a Refusal."""
    if len(data) > MOST_BYTES:
        return Refusal(f"{file} has more than {MOST_BYTES} bytes, which is the most that is read")
    try:
        return cutter.Module(name, file, importlib.util.decode_source(data), package)
    except (SyntaxError, ValueError) as e:
        return Refusal(f"{file}:{e.lineno}: {e.msg}" if getattr(e, "lineno", None) else f"{file}: {last_line(e)}")
    except (MemoryError, RecursionError):
        return Refusal(f"{file} is nested too deeply")


def read_file(file):
    if not os.path.isfile(file) and os.path.exists(file):
        raise Refusal(f"{file} is no regular file")
    with open(file, "rb") as opened:
        return opened.read(MOST_BYTES + 1)


def open_archive(path):
    """A wheel, or a source archive as one, in memory: with the names of its files, and the texts."""
    if zipfile.is_zipfile(path):
        archive = zipfile.ZipFile(open(path, "rb"))  # Python 3.9 closes what it has opened itself
        names = archive.namelist()
    else:
        names, packed, archive = [], tarfile.open(path), zipfile.ZipFile(io.BytesIO(), "a")
        archive.filename = path  # which messages name
        for info in packed:
            if info.offset_data + info.size > MOST_UNPACKED:
                raise Refusal(f"{path} has more than {MOST_UNPACKED} bytes once it is unpacked")
            names += [info.name, *([os.path.join(os.path.dirname(info.name) if info.issym() else "", info.linkname)] if info.linkname else [])]
            if info.isreg():
                archive.writestr(info.name, packed.extractfile(info).read(MOST_BYTES + 1) if info.name.endswith((".py", ".json", "PKG-INFO")) else b"")
    if outside := [name for name in names if os.path.isabs(name) or os.path.normpath(name).startswith("..")]:
        raise Refusal(f"{path} has a file or a link {outside[0]}, which leads out of it")
    return archive


class Package:
    """Modules by name, as texts: of folders, or, where it is `given` by its path, of a folder, a wheel or a source archive. Nothing of it runs or is written."""

    def __init__(self, given, *paths):
        self.path, self.given = paths[0] if given else sys.executable, given
        self.roots = [pathlib.Path(path) if not given or os.path.isdir(path) else zipfile.Path(open_archive(path)) for path in paths]
        # Source archives have a folder around all.
        self.roots += [root for part in (self.roots[0].iterdir() if given else ()) if part.is_dir() for root in (part, part / "src")]

    @functools.lru_cache(None)
    def module(self, name):
        """A module, or a Refusal."""
        *above, last = name.split(".")
        for root in self.roots if all((*above, last)) else ():
            for file in (root / "/".join([*above, last + ".py"]), root / "/".join([*above, last, "__init__.py"])):
                if file.exists():
                    self.roots = [root]  # what it imports is beside it
                    if self.given and not os.path.realpath(str(file)).startswith(os.path.realpath(str(root))):
                        return Refusal(f"{file} is a link out of {root}")
                    return parse(name, str(file), read_file(file) if isinstance(file, pathlib.Path) else file.open("rb").read(MOST_BYTES + 1), self)
        beside = [part.name for folder in (root / "/".join(above) for root in self.roots) if folder.is_dir() for part in folder.iterdir()]
        if all(above) and last in beside:
            return cutter.Module(name, self.path, "", self)  # a folder of modules, without a text of its own
        if any(file.startswith(last + ".") and file.endswith((".so", ".pyd")) for file in beside):
            return Refusal(f"module {name} is a C extension")
        refusal = Refusal(f"{self.path} has no module {name}", last, [os.path.splitext(file)[0] for file in beside])
        refusal.answer.update({} if any((root / name.partition(".")[0]).exists() for root in self.roots) else {"absent": True})
        return refusal

    def texts(self, folder):
        files = [file for file in (self.roots[0] / folder).iterdir() if file.name.endswith(".json")] if folder and (self.roots[0] / folder).is_dir() else []
        return {file.name: file.open("rb").read(MOST_BYTES).decode(errors="replace") for file in files if file.is_file()}

    def release(self, top):
        """Name and version of what was packed or installed, where they are noted."""
        records = [part / "RECORD" for part in self.roots[0].iterdir() if part.name.endswith(".dist-info")]
        notes = [file.parent / "METADATA" for file in records if file.exists() and f"\n{top}/" in "\n" + file.open("rb").read().decode()]
        text = next((note.open("rb").read().decode() for note in (*notes, self.roots[0] / "PKG-INFO") if note.exists()), "")
        return re.findall(r"^(?:Name|Version): *(\S+)", text, re.MULTILINE)[:2]


def module_of(file):
    """Name of the module that a file within packages is, "" for a file by itself; and the folder that it is found from."""
    folder, name = os.path.split(os.path.abspath(file))
    parts, found = [os.path.splitext(name)[0]] if name != "__init__.py" else [], ("", folder)
    while folder not in sys.path and os.path.basename(folder).isidentifier():  # a folder on the way may lack the file
        parts.insert(0, os.path.basename(folder))
        if os.path.exists(os.path.join(folder, "__init__.py")):
            found = ".".join(parts), os.path.dirname(folder)
        folder = os.path.dirname(folder)
    return found


def find(source, given, tables=""):
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))  # what is worked out of the text may grow without an end
    where, _, name = source.rpartition(":")
    is_file = not given and (where.endswith(".py") or "/" in where)
    module, *paths = module_of(where) if is_file else (where, given) if given else (where, *sys.path, os.getcwd())
    module = "" if is_file and paths[0] not in sys.path else module
    package = Package(bool(given), *paths) if module else None
    found = package.module(module) if package else parse("", where, read_file(where))
    if isinstance(found, Refusal):
        raise found
    return {"file": found.file, "module": module, "package": package.release(module.partition(".")[0]) if package else [],
            "tables": package.texts(tables) if package else {}, **interpreter((package.roots if package else paths)[0]), **read_kernels(found, name, package is not None)}


def interpreter(*more):
    """What has to be read for an import."""
    reads = {str(path) for path in (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, *more)}
    return {"executable": sys.executable, "reads": sorted(filter(os.path.exists, reads))}


# ---- an import ----


def reason_of(e):
    """What has failed and where: of a library for another chip this names what is missing here."""
    frames = [frame for frame in traceback.extract_tb(e.__traceback__) if not frame.filename.startswith("<")]  # not of this text
    said = isinstance(e, (ImportError, SystemExit)) or not frames
    return last_line(e) + ("" if said else f", at {frames[-1].filename}:{frames[-1].lineno}: {frames[-1].line}")


def chain(value):
    """The objects around a kernel, the outermost first."""
    inner = vars(value).get("fn") if hasattr(value, "__dict__") else None
    return [value, *([] if inner is None else chain(inner))]


def around(loaded, name):
    """The objects around a kernel of a module, the outermost first, the kernel last."""
    kernel = chain(getattr(loaded, name))[-1]
    return max((objects for objects in map(chain, (getattr(loaded, name), *vars(loaded).values())) if objects[-1] is kernel), key=len)


def ask_objects(loaded, name):
    """Describes the autotuner, whatever class it has, and the heuristics around a kernel."""
    answer = {"name": name, "tuned": False, "configs": [], "keys": [], "heuristics": []}
    for value in around(loaded, name):
        if getattr(value, "configs", None) is not None and not answer["tuned"]:
            keys = [str(key) for key in getattr(value, "keys", None) or getattr(value, "key", None) or ()]
            answer.update(tuned=True, configs=listed(config.all_kwargs().items() for config in value.configs), keys=keys)
        elif isinstance(getattr(value, "values", None), dict):
            answer["heuristics"] += [[key, common.text_of(value).strip()] for key, value in value.values.items()]
    return answer


def import_kernels(file, module):
    name, folder = (module, os.getcwd()) if module else module_of(file)
    sys.path.insert(len(sys.path) if module else 0, folder)
    try:
        return common.import_module(f"{name}:" if name else os.path.abspath(file))
    except BaseException as e:  # whatever a module does as it is imported, SystemExit among it
        raise Refusal(f"{file} cannot be imported: {reason_of(e)}") from None


def ask_module(file, module, names):
    loaded = import_kernels(file, module)
    return {"kernels": [ask_objects(loaded, name) for name in names], **as_answer(*cutter.cut(*(getattr(loaded, name) for name in names)))}


# ---- what libraries ask for in their tables ----


class Asked(BaseException):
    """What a look-up asks for; its launch comes to nothing."""


def stop(text):
    def refuse(*_, **__):
        raise Refusal(text)

    return refuse


def stand_in(device):
    """Makes torch and Triton's driver answer for the device that the results are of: a name, an architecture and a limit are all that is known of it."""
    shared, arch = device["shared"] or 49152, int(re.sub("[^0-9]", "", device["arch"]))
    properties = types.SimpleNamespace(name=device["model"], major=arch // 10, minor=arch % 10, warp_size=32, shared_memory_per_block=49152,
                                       shared_memory_per_block_optin=shared)
    answers = {"is_available": True, "device_count": 1, "current_device": 0, "get_device_properties": properties, "get_device_capability": (arch // 10, arch % 10),
               "get_device_name": device["model"], "is_bf16_supported": True, "_lazy_init": None}
    if importlib.util.find_spec("torch"):
        import torch

        for name, answer in answers.items():
            setattr(torch.cuda, name, lambda *_, answer=answer, **__: answer)
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver

    driver.set_active(types.SimpleNamespace(
        utils=types.SimpleNamespace(get_device_properties=lambda _: {"max_shared_mem": shared, "warpSize": 32}), get_current_device=lambda: 0,
        get_current_target=lambda: GPUTarget("cuda", arch, 32), get_current_stream=lambda _=0: 0, get_benchmarker=lambda: stop("it would be tuned")))
    os.environ.setdefault("GEMS_VENDOR", "nvidia")  # FlagGems asks nvidia-smi otherwise
    os.environ.pop("FLAGGEMS_DB_URL", None)
    os.environ["FLAGGEMS_CACHE_DIR"] = os.environ["TRITON_CACHE_DIR"] = os.environ.get("TMPDIR", "/nonexistent")


def key_value(name, text):
    """A value of a key out of its text."""
    if text in common.DTYPES:
        raise Refusal(f"its autotuner's key has {name}, of which the workload says {text}: a type or a text, which is not told")
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def call_for(tuner, kernel, question):
    """Arguments of a call, as far as the workload names them: values of the key, and what stands for tensors."""
    tensor = {"bool": "bool", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}
    values = {name: value for name, value in question["sizes"].items() if name[0] != "@"}
    for name, text in question["types"].items():
        if name in tuner.keys:
            values[name] = key_value(name, text)
        elif name[0] != "@":
            values[name] = types.SimpleNamespace(dtype=f"torch.{tensor.get(text, common.DTYPES.get(text, text))}")
    tuned = {name for config in tuner.configs for name in config.kwargs}
    first = next((n for n, p in enumerate(kernel.params) if p.is_constexpr or p.name in tuned), len(kernel.params))
    for p in kernel.params:
        if p.name in tuner.keys and p.name not in values and not (p.is_constexpr and p.has_default):
            raise Refusal(f"its autotuner's key has {p.name}, which \"sizes\" and \"types\" of the workload's \"export\" do not name")
    names = [p.name for p in kernel.params]
    return [values.get(name, object()) for name in names[:first]], {name: values[name] for name in names[first:] if name in values}


def find_tuner_of(question, main):
    """The autotuner and the kernel of MODULE:KERNEL, or of the file that was measured where no such module is found."""
    module, _, name = question["kernel"].partition(":")
    file = (main if module == "__main__" else question["file"]) or ""
    if module == "__main__" and not main:
        raise Refusal("its kernel is of the program itself, whose FILE.py --set main=FILE.py names")
    is_file = module == "__main__" or os.path.splitext(os.path.basename(file))[0] == module and not importlib.util.find_spec(module)
    loaded = import_kernels(file if is_file else module, "" if is_file else module)
    if not hasattr(loaded, name):
        raise Refusal(f"{module} has no kernel {name}")
    objects = around(loaded, name)
    tuner = next((value for value in objects if hasattr(value, "prune_configs")), None)
    if tuner is None or len(tuner.configs) < 2:
        raise Refusal(f"{question['kernel']} has {'one configuration' if tuner else 'no autotuner'}, and asks for none")
    kernel, said = common.unwrap(tuner), question["types"].get("@source")
    if said and said != as_answer(cutter.cut(kernel)[0] or kernel.src, None)["digest"]:
        raise Refusal("the kernel's text has changed since it was measured")
    return tuner, kernel


def ask_triton(tuner, args, kwargs):
    from triton.runtime import autotuner, cache

    if any(config.pre_hook for config in tuner.configs):
        raise Refusal("Triton keeps no result where a configuration has a pre_hook")
    if os.environ.get("TRITON_CACHE_MANAGER"):
        raise Refusal("TRITON_CACHE_MANAGER decides where Triton's files are")
    seen, own, manager = {}, tuner.check_disk_cache, cache.get_cache_manager
    places = [module for module in (autotuner, cache) if hasattr(module, "get_cache_manager")]  # Triton 3.4 imports it as it is called
    tuner.cache_results, tuner.cache = True, {}
    tuner.check_disk_cache = lambda key, *rest: (seen.update(key=list(key)), own(key, *rest))[1]

    def noted(key):
        seen["folder"] = os.path.basename(manager(key).cache_dir)
        return types.SimpleNamespace(get_file=lambda name: (_ for _ in ()).throw(Asked(name)))

    for module in places:
        module.get_cache_manager = noted
    try:
        tuner.run(*args, **kwargs)
    except Asked as e:
        return {"file": f"{seen['folder']}/{e}", "key": seen["key"], "names": [*tuner.arg_names, *autotuner.Config({}).all_kwargs(), "maxnreg"]}
    finally:
        for module in places:
            module.get_cache_manager = manager
        del tuner.check_disk_cache


def ask_flaggems(tuner, args, kwargs):
    model, seen = getattr(getattr(tuner.cache, "model", None), "__class__", None), {}
    if not hasattr(model, "build_sql_model_by_db"):
        raise Refusal("its autotuner is none of FlagGems'")
    own, model.build_sql_model_by_db = model.build_sql_model_by_db, staticmethod(lambda name, _: (_ for _ in ()).throw(Asked(name)))
    tuner.cache.get = lambda key: (seen.update(key=list(key)), type(tuner.cache).get(tuner.cache, key))[1]
    try:
        tuner.run(*args, **kwargs)
    except Asked as e:
        hooked = any(config.pre_hook for config in tuner.configs)
        return {"file": f"config_cache/{os.path.basename(tuner.cache.model.engine.url.database)}", "table": str(e), "key": seen["key"],
                "names": list(tuner.configs[0].all_kwargs()), "listed": [config.all_kwargs() for config in tuner.configs] if hooked else None}
    finally:
        model.build_sql_model_by_db = own


def ask_one(library, question, main):
    tuner, kernel = find_tuner_of(question, main)
    args, kwargs = call_for(tuner, kernel, question)
    tuner._bench = kernel.run = stop(f"its autotuner, {type(tuner).__module__}.{type(tuner).__name__}, asks for no table of {library}")
    try:
        return {"triton": ask_triton, "flaggems": ask_flaggems}[library](tuner, args, kwargs)
    except Refusal:
        raise
    except Exception as e:
        raise Refusal(f"it cannot be asked for without a launch: {reason_of(e)}") from None


def ask_library(file):
    from importlib import metadata

    with open(file, encoding="utf-8") as opened:
        asked = json.load(opened)
    packages = ("triton", "flag_gems") if asked["library"] == "flaggems" else ("triton",)
    for package in packages:
        if not importlib.util.find_spec(package):
            return {"absent": f"{sys.executable} has no module {package}"}
    for package in filter(importlib.util.find_spec, ("torch", "triton")):
        try:
            importlib.import_module(package)
        except Exception as e:  # a library of CUDA is missing, say
            return {"absent": f"{sys.executable} cannot import {package} ({reason_of(e)})"}
    try:
        stand_in(asked["device"])
        import triton
    except Exception as e:
        raise Refusal(reason_of(e)) from None

    answers = []
    if asked["library"] == "flaggems":
        import_kernels("flag_gems", "flag_gems")  # it finds its kernels of one vendor as modules of their own, such as hopper.ops.mm
    for question in asked["questions"]:
        try:
            answers.append(ask_one(asked["library"], question, asked["main"]))
        except Refusal as e:
            answers.append({"why": e.answer["error"]})
    return {"triton": triton.__version__, "package": metadata.version(packages[-1]), "answers": answers}


WAYS = {"find": find, "import": lambda file, module, *names: ask_module(file, module, names), "ask": ask_library, "where": lambda: interpreter(os.getcwd())}


def main():
    # The answer has a descriptor of its own: what a module prints is dropped.
    with os.fdopen(os.dup(1), "w") as answer, open(os.devnull, "r+b", buffering=0) as null:
        os.dup2(null.fileno(), 1)
        os.dup2(null.fileno(), 2)
        try:
            text = json.dumps(WAYS[sys.argv[1]](*sys.argv[2:]))
        except Refusal as e:
            text = json.dumps(e.answer)
        except Exception as e:  # a file is torn or not there
            named = next(filter(None, (*sys.argv[3:4], sys.argv[2]))) if sys.argv[1] == "find" else sys.argv[2]
            said = f"cannot read {e.filename}: {e.strerror}" if isinstance(e, OSError) and e.filename else f"{named} cannot be read: {last_line(e)}".partition(":\n")[0]
            text = json.dumps(Refusal(said).answer)
        answer.write(text + "\n")
    os._exit(0)


main()
