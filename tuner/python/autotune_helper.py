"""Reads a Triton kernel with its autotuner out of a file, for `asctune import-triton`.

TEXT is stay_alone.py and this one. `python -c TEXT find SOURCE` reads the file's text alone: nothing of it runs. SOURCE is FILE.py:kernel or
package.module:kernel. `python -c TEXT import FILE MODULE NAME...` imports the module (MODULE: its name, "" where only its path finds it) and asks Triton's
objects for what only Python can work out. Both print an object in JSON: {"error": TEXT, "name": ..., "names": [...]}, where "names" are those that there are,
or {"file": PATH, "module": ..., "executable": PATH, "reads": [PATH...], "kernels": [KERNEL...]}, where the second kernel is the first one's twin for NPUs. A
KERNEL has

    name        of the function
    configs     [[[NAME, VALUE]...]...]; null: only an import tells
    keys        [NAME...]; null: only an import tells
    heuristics  [[NAME, TEXT]...]; null: only an import tells
    others      [[NAME, TEXT]...], further arguments of the autotuner
    grid        [TEXT...], formulas, of a launcher in the file; [] where there is none
    parameters  [{"name", "constexpr", "type", "role", "descriptor", "value", "formula", "shape"}...]: role is "in", "out" or "inout" of a pointer or of a
                descriptor that the host makes ("descriptor": true), else null; value is that of a default; formula and shape are what the launcher passes
"""

import ast
import collections
import copy
import importlib.machinery
import importlib.util
import inspect
import itertools
import json
import os
import resource
import sys
import traceback

AUTOTUNERS = ("autotune", "libtuner")
TYPES = {"int1": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
         "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int": "i32", "float": "f32", "bool": "bool",
         "u1": "bool", "i1": "bool", "fp16": "f16", "half": "f16", "fp32": "f32", "fp64": "f64", "double": "f64",
         "float8e4nv": "f8e4m3", "fp8e4nv": "f8e4m3", "float8_e4m3fn": "f8e4m3", "float8e5": "f8e5m2", "fp8e5": "f8e5m2", "float8_e5m2": "f8e5m2",
         **{name: name for name in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bf16")}}
READERS = (*AUTOTUNERS, "heuristics", "Config", "enumerate", "len", "list", "print", "sorted", "tuple", "zip")  # these change no list
MOST_CONFIGS = 4096
MOST_NUMBER = 2**53
MOST_BYTES = 16 << 20
MOST_MEMORY = 4 << 30


class Refusal(Exception):
    """The file is at fault: text, what was looked for, and the names that there are."""

    def __init__(self, text, name=None, names=()):
        super().__init__(text)
        self.answer = {"error": text, "name": name, "names": list(names)}


class Unknown(Exception):
    """Only an import tells."""


# ---- values, worked out without running the file ----


def base_of(node):
    """The name that a chain begins with: `x` of x[0].kwargs["BLOCK"]."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def statements(body):
    """Statements of a module, also within `if`, `try` and the like, but not within functions and classes."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in ("body", "handlers", "orelse", "finalbody"):
                yield from statements(getattr(node, part, []))


def constants_in(module):
    """Expressions by the names that a module binds once, changes nowhere and passes to no function that may change them."""
    seen = collections.Counter()
    for node in ast.walk(module):
        if isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            seen[base_of(node)] += 1
        elif isinstance(node, ast.Call):
            seen[base_of(node.func)] += isinstance(node.func, ast.Attribute)  # a method, such as append()
            if name_of(node.func) not in READERS:
                seen.update(base_of(value) for value in (*node.args, *(keyword.value for keyword in node.keywords if keyword.arg not in ("configs", "key"))))
        elif isinstance(node, ast.alias):
            seen[node.asname or node.name.split(".")[0]] += 1
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            seen[node.name] += 1
        elif isinstance(node, ast.Assign):
            seen[base_of(node.value)] += 1  # has another name
    bound = [(target, statement.value) for statement in module.body if isinstance(statement, ast.Assign) for target in statement.targets]
    return {target.id: value for target, value in bound if isinstance(target, ast.Name) and seen[target.id] == 1}


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


def name_of(node):
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


# ---- decorators ----


def arguments_of(call, order):
    """A call's arguments by name."""
    found = dict(zip(order, call.args))
    found.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
    return found


def find_tuner(function, module):
    """The call that makes a kernel's autotuner: a decorator, or the outer one of `X = triton.autotune(...)(kernel)`; "other" where there are decorators of
    which an import may tell that; None where there is no autotuner. And its name in the module."""
    calls = [node for node in function.decorator_list if isinstance(node, ast.Call)]
    for node in calls:
        if name_of(node.func) in AUTOTUNERS or any(keyword.arg == "configs" for keyword in node.keywords):
            return node, function.name
    for statement in statements(module.body):
        made = statement.value if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) else None
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Call) and name_of(made.func.func) in AUTOTUNERS:
            if [name_of(part) for part in made.args] == [function.name]:
                return made.func, statement.targets[0].id
    return ("other" if len(function.decorator_list) > 1 else None), function.name


def is_jit(function):
    return any(name_of(node.func if isinstance(node, ast.Call) else node) == "jit" for node in function.decorator_list)


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
        if isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
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
            if name in names:
                roles[name] = roles.get(name, set()) | ways

        for node in (node for node in nodes if isinstance(node, ast.Call)):
            called = name_of(node.func)
            module = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, (ast.Name, ast.Attribute))  # as tl.load, triton.language.load
            module = module and base_of(node.func) not in assigned and base_of(node.func) not in names
            target = node.args[0] if module and node.args else arguments_of(node, ()).get("pointer") if module else getattr(node.func, "value", None)
            if called in ("load", "store") and target is not None:
                note(target, {"in" if called == "load" else "out", *([] if module else ["descriptor"])})
            elif called and called.startswith("atomic_") and target is not None:
                note(target, {"in", "out"})
            elif isinstance(node.func, ast.Name) and called in self.functions:
                callee = self.functions[called]
                inner = self.of(callee)
                for name, value in arguments_of(node, [p.arg for p in parameters_in(callee)]).items():
                    if name in inner:
                        note(value, inner[name])
        return roles


def parameters_in(function):
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def defaults_of(function):
    positional = zip(reversed([*function.args.posonlyargs, *function.args.args]), reversed(function.args.defaults))
    return {p.arg: d for p, d in (*positional, *zip(function.args.kwonlyargs, function.args.kw_defaults)) if d}


def describe(function, evaluator, roles, launch):
    found, defaults = [], defaults_of(function)
    for parameter in parameters_in(function):
        annotation = parameter.annotation
        text = annotation.value if isinstance(annotation, ast.Constant) else name_of(annotation) if annotation else None
        known = roles.of(function).get(parameter.arg, set())
        ways = known - {"descriptor"}
        value = evaluator.value(defaults.get(parameter.arg))
        found.append({"name": parameter.arg, "constexpr": text in ("constexpr", "tl.constexpr"), "type": TYPES.get(text),
                      "role": None if not ways else "inout" if len(ways) == 2 else min(ways), "descriptor": "descriptor" in known,
                      "value": value if is_plain(value) else None, "formula": launch.formulas.get(parameter.arg), "shape": launch.shape(parameter.arg)})
    return found


class Launch(Plain):
    """Arguments that a launcher beside the kernel passes, as ninetoothed generates it, in formulas of a workload: `kernel[lambda meta: (...)](x, x.size(0),
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
    return isinstance(value, (bool, str)) or (isinstance(value, (int, float)) and abs(value) <= MOST_NUMBER)


def check_values(file, name, configs):
    if len(configs or ()) > MOST_CONFIGS:
        raise Refusal(f"{file}: kernel {name} has {len(configs)} configurations, at most {MOST_CONFIGS} are imported")
    for number, items in enumerate(configs or (), 1):
        for key, value in items:
            if not is_plain(value):
                raise Refusal(f"{file}: configuration {number} of kernel {name} has {key} = {value!r}, expected a number up to 2^53, a truth value or a text")


def read_kernel(file, function, module, evaluator, roles):
    call, tuned = find_tuner(function, module)
    if not call:
        raise Refusal(f"{file}: kernel {function.name} has no @triton.autotune, so there is no list of configurations to import")
    stated = arguments_of(call, ("configs", "key")) if call != "other" else {"configs": None, "key": None}
    if "configs" not in stated:
        raise Refusal(f"{file}: the autotuner of kernel {function.name} has no configs")
    configs = list_of(Config, evaluator.value(stated["configs"]))
    configs = configs and [config.items for config in configs]
    check_values(file, function.name, configs)
    launch = Launch(module, tuned, [parameter.arg for parameter in parameters_in(function)])
    return {"name": function.name, "configs": configs, "grid": launch.grid,
            "keys": list_of(str, evaluator.value(stated["key"])) if "key" in stated else [],
            "heuristics": heuristics_of(function),
            "others": [[name, ast.unparse(node)] for name, node in stated.items() if name not in ("configs", "key")],
            "parameters": describe(function, evaluator, roles, launch)}


def read_file(file, name):
    if not os.path.isfile(file) and os.path.exists(file):
        raise Refusal(f"{file} is no regular file")
    if os.path.getsize(file) > MOST_BYTES:
        raise Refusal(f"{file} has {os.path.getsize(file)} bytes, at most {MOST_BYTES} are read")
    try:
        with open(file, "rb") as opened:
            module = ast.parse(opened.read(), file)
    except (SyntaxError, ValueError) as e:
        raise Refusal(f"{file}: {last_line(e)}" if not isinstance(e, SyntaxError) else f"{file}:{e.lineno}: {e.msg}") from None
    except (MemoryError, RecursionError):
        raise Refusal(f"{file} is nested too deeply") from None
    defined = [node for node in statements(module.body) if isinstance(node, ast.FunctionDef)]
    functions = {node.name: node for node in defined}
    kernels = {key: function for key, function in functions.items() if is_jit(function)}
    lines = [str(node.lineno) for node in defined if node.name == name and is_jit(node)]
    if len(lines) > 1:
        raise Refusal(f"{file} defines kernel {name} on lines {', '.join(lines)}, expected once")
    if name not in kernels:
        tuned = [key for key, function in kernels.items() if find_tuner(function, module)[0]]
        raise Refusal(f"{file} has no kernel {name}", name, tuned or kernels)
    evaluator, roles = Evaluator(constants_in(module)), Roles(functions)
    twins = [kernels[key] for key in (name, name + "_npu") if key in kernels]
    return [read_kernel(file, function, module, evaluator, roles) for function in twins]


def find_module(name):
    """The file of package.module, and the folder that it is found from; packages above it are not imported."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise Refusal(f'"{name}" is no name of a module')
    path, top = [*sys.path, os.getcwd()], None
    for part in name.split("."):
        spec = importlib.machinery.PathFinder.find_spec(part, path)
        if not spec:
            raise Refusal(f"there is no module {name}: {part} is not found by {sys.executable}")
        path = spec.submodule_search_locations
        top = top or os.path.dirname(path[0] if path else spec.origin or os.getcwd())
    if not spec.origin or not spec.origin.endswith(".py"):
        raise Refusal(f"module {name} has no Python text")
    return spec.origin, top


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


def find(source):
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))  # what is worked out of the text may grow without an end
    where, _, name = source.rpartition(":")
    is_file = where.endswith(".py") or "/" in where
    module, top = module_of(where) if is_file else (where, None)
    module = module if not is_file or top in sys.path else ""
    file, top = (where, top) if is_file else find_module(where)
    reads = {path for path in (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, top) if path and os.path.exists(path)}
    return {"file": file, "module": module, "executable": sys.executable, "reads": sorted(reads), "kernels": read_file(file, name)}


# ---- an import ----


def last_line(e):
    return traceback.format_exception_only(type(e), e)[-1].strip()


def import_file(file, module):
    stay_alone()
    name, folder = (module, os.getcwd()) if module else module_of(file)
    sys.path.insert(len(sys.path) if module else 0, folder)
    if name:
        return importlib.import_module(name)
    name = os.path.splitext(os.path.basename(file))[0]
    spec = importlib.util.spec_from_file_location(name, file)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def reason_of(e):
    """Names what has failed and where: of a library for another chip, what is missing here."""
    frames = [frame for frame in traceback.extract_tb(e.__traceback__) if not frame.filename.startswith("<")]  # not of this text
    said = isinstance(e, (ImportError, SystemExit)) or not frames
    return last_line(e) + ("" if said else f", at {frames[-1].filename}:{frames[-1].lineno}: {frames[-1].line}")


def text_of(function):
    try:
        return inspect.getsource(function).strip()
    except (OSError, TypeError):
        return repr(function)


def chain(value):
    """The objects around a kernel, the outermost first."""
    inner = vars(value).get("fn") if hasattr(value, "__dict__") else None
    return [value, *([] if inner is None else chain(inner))]


def ask_objects(file, loaded, name):
    """Describes the autotuner, whatever class it has, and the heuristics around a kernel."""
    answer = {"name": name, "configs": None, "keys": None, "heuristics": []}
    kernel = chain(getattr(loaded, name))[-1]
    around = [objects for objects in map(chain, (getattr(loaded, name), *vars(loaded).values())) if objects[-1] is kernel]
    for value in max(around, key=len):
        configs = getattr(value, "configs", None)
        if configs is not None and answer["configs"] is None:
            answer["configs"] = [list(map(list, config.all_kwargs().items())) for config in configs]
            answer["keys"] = [str(key) for key in getattr(value, "keys", None) or getattr(value, "key", None) or ()]
        elif isinstance(getattr(value, "values", None), dict):
            answer["heuristics"] += [[key, text_of(value)] for key, value in value.values.items()]
    if answer["configs"] is None:
        raise Refusal(f"{file}: kernel {name} has no autotuner once it is imported")
    check_values(file, name, answer["configs"])
    return answer


def ask_module(file, module, names):
    process, reason = os.getpid(), None
    try:
        loaded = import_file(file, module)
    except BaseException as e:  # whatever a module does as it is imported, SystemExit among it
        reason = reason_of(e)
    if os.getpid() != process:  # a process that the module has left behind
        os._exit(1)
    if reason:
        raise Refusal(f"{file} cannot be imported: {reason}")
    return {"kernels": [ask_objects(file, loaded, name) for name in names]}


def main():
    # The answer has a descriptor of its own: what a module prints is dropped.
    with os.fdopen(os.dup(1), "w") as answer, open(os.devnull, "r+b", buffering=0) as null:
        os.dup2(null.fileno(), 1)
        os.dup2(null.fileno(), 2)
        try:
            text = json.dumps(find(sys.argv[2]) if sys.argv[1] == "find" else ask_module(sys.argv[2], sys.argv[3], sys.argv[4:]))
        except Refusal as e:
            text = json.dumps(e.answer)
        except OSError as e:
            text = json.dumps({"error": f"cannot read {e.filename}: {e.strerror}", "name": None, "names": []})
        except RecursionError:
            text = json.dumps({"error": f"{sys.argv[2]} is nested too deeply", "name": None, "names": []})
        except TypeError as e:  # a value that is neither number nor text
            text = json.dumps({"error": f"{sys.argv[2]}: a configuration cannot be written: {e}", "name": None, "names": []})
        answer.write(text + "\n")
    os._exit(0)


main()
