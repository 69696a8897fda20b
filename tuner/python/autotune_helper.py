"""Reads a Triton kernel with its autotuner out of a file, for `asctune import-triton`.

`python -c TEXT find SOURCE` reads the text alone: nothing of it runs. SOURCE is FILE.py:kernel or package.module:kernel. `python -c TEXT import FILE MODULE
NAME...` imports the module (MODULE: its name, "" for a file by itself) and asks Triton's objects for what only Python can work out. Both print an object in
JSON: {"error": TEXT, "name": ..., "names": [...]}, where "names" are those that there are, or {"file": PATH, "module": ..., "executable": PATH, "reads":
[PATH...], "kernels": [KERNEL...]}, where the second kernel is the first one's twin for NPUs. A KERNEL has

    name        of the function
    configs     [[[NAME, VALUE]...]...]; null: only an import tells
    keys        [NAME...]; null: only an import tells
    heuristics  [[NAME, TEXT]...]; null: only an import tells
    others      [[NAME, TEXT]...], further arguments of the autotuner
    parameters  [{"name", "constexpr", "type", "role", "descriptor", "value"}...]: role is "in", "out" or "inout" of a pointer or of a descriptor that the host
                makes ("descriptor": true), else null; value is that of a default
"""

import sys

sys.path[:] = [path for path in sys.path if path]  # the current folder, which anybody may have filled, has none of the modules below

import ast
import collections
import json
import os

AUTOTUNERS = ("autotune", "libtuner")
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
TYPES = {"int1": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
         "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int": "i32", "float": "f32", "bool": "bool",
         "u1": "bool", "i1": "bool", "fp16": "f16", "half": "f16", "fp32": "f32", "fp64": "f64", "double": "f64",
         **{name: name for name in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bf16")}}
READERS = (*AUTOTUNERS, "heuristics", "Config", "enumerate", "len", "list", "print", "sorted", "tuple", "zip")  # these change no list
MOST_STEPS = 1 << 20  # of what is worked out without an import
MOST_CONFIGS = 4096
MOST_NUMBER = 2**53
MOST_BYTES = 16 << 20


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


def changes_in(module):
    """The names that a module binds or may change, counted, whatever the scope."""
    found = collections.Counter()
    for node in ast.walk(module):
        if isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            found[base_of(node)] += 1
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found[base_of(node.func)] += 1  # a method, such as append()
        elif isinstance(node, ast.alias):
            found[node.asname or node.name.split(".")[0]] += 1
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] += 1
    return found


def statements(body):
    """Those of a module, also within `if`, `try` and the like, but not within functions and classes."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in ("body", "handlers", "orelse", "finalbody"):
                yield from statements(getattr(node, part, []))


def lists_shared(module, changes):
    """The names of lists that the module passes to functions, or has in another name or list that it changes."""
    found, displays = set(), set()
    for statement in statements(module.body):
        if isinstance(statement, ast.Assign):
            if isinstance(statement.value, (ast.List, ast.ListComp, ast.Dict)):
                displays.update(base_of(target) for target in statement.targets)
            if any(changes[base_of(target)] > 1 for target in statement.targets):
                found.update(node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name))
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and name_of(node.func) not in READERS:
                found.update(base_of(value) for value in (*node.args, *(keyword.value for keyword in node.keywords)))
    return found & displays


class Evaluator:
    """Constants, lists, comprehensions and triton.Config of a module's text."""

    def __init__(self, module):
        self.steps = 0
        self.names = {}
        changes = changes_in(module)
        shared = lists_shared(module, changes)
        for statement in module.body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                if changes[name] == 1 and name not in shared:
                    self.names[name] = statement.value

    def value(self, node, local=None):
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Unknown()
        method = getattr(self, "of_" + type(node).__name__, None)
        if not method:
            raise Unknown()
        try:
            return method(node, local or {})
        except (KeyError, TypeError, ArithmeticError):  # what an import would fail with, too
            raise Unknown() from None

    def of_Constant(self, node, local):
        return node.value

    def of_Name(self, node, local):
        if node.id in local:
            return local[node.id]
        if node.id not in self.names:
            raise Unknown()
        return self.value(self.names[node.id])

    def of_List(self, node, local):
        items = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                items += self.value(item.value, local)
            else:
                items.append(self.value(item, local))
        return items

    of_Tuple = of_List

    def of_Dict(self, node, local):
        if None in node.keys:
            raise Unknown()
        return {self.value(key, local): self.value(value, local) for key, value in zip(node.keys, node.values)}

    def of_ListComp(self, node, local):
        found = []
        self.comprehend(node.generators, node.elt, local, found)
        return found

    of_GeneratorExp = of_ListComp

    def comprehend(self, generators, element, local, found):
        if not generators:
            found.append(self.value(element, local))
            return
        first = generators[0]
        for item in self.value(first.iter, local):
            inner = {**local, **self.bind(first.target, item)}
            if all(self.value(condition, inner) for condition in first.ifs):
                self.comprehend(generators[1:], element, inner, found)

    def bind(self, target, item):
        if isinstance(target, ast.Name):
            return {target.id: item}
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(item, list) and len(item) == len(target.elts):
            bound = {}
            for part, value in zip(target.elts, item):
                bound.update(self.bind(part, value))
            return bound
        raise Unknown()

    def of_BinOp(self, node, local):
        left, right = self.value(node.left, local), self.value(node.right, local)
        if isinstance(node.op, ast.Add) and isinstance(left, list) and isinstance(right, list):
            return left + right
        plain = isinstance(left, (int, float)) and isinstance(right, (int, float)) and abs(left) < 1e9 and abs(right) < 1e9
        operators = {ast.Add: lambda: left + right, ast.Sub: lambda: left - right, ast.Mult: lambda: left * right,
                     ast.FloorDiv: lambda: left // right, ast.Mod: lambda: left % right,
                     ast.Pow: lambda: left**right if 0 <= right < 64 and abs(left) < 64 else None}
        result = operators.get(type(node.op), lambda: None)() if plain and right != 0 else None
        if result is None:
            raise Unknown()
        return result

    def of_UnaryOp(self, node, local):
        operand = self.value(node.operand, local)
        if isinstance(node.op, ast.Not):
            return not operand
        if isinstance(node.op, ast.USub) and isinstance(operand, (int, float)):
            return -operand
        raise Unknown()

    def of_BoolOp(self, node, local):
        result = None
        for part in node.values:
            result = self.value(part, local)
            if bool(result) == isinstance(node.op, ast.Or):
                break
        return result

    def of_Compare(self, node, local):
        operators = {ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b,
                     ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b}
        left = self.value(node.left, local)
        for operator, right in zip(node.ops, node.comparators):
            right = self.value(right, local)
            if type(operator) not in operators:
                raise Unknown()
            if not operators[type(operator)](left, right):
                return False
            left = right
        return True

    def of_Call(self, node, local):
        if name_of(node.func) != "Config" or len(node.args) > 1:
            raise Unknown()
        values = {keyword.arg: keyword.value for keyword in node.keywords}
        if None in values or (node.args and "kwargs" in values) or "pre_hook" in values:
            raise Unknown()
        kwargs = self.value(node.args[0] if node.args else values.pop("kwargs"), local)
        if not isinstance(kwargs, dict):
            raise Unknown()
        options = {name: self.value(value, local) for name, value in values.items()}
        return Config([*kwargs.items(), *options.items()])


class Config:
    def __init__(self, items):
        self.items = [[name, value] for name, value in items if value is not None]


def name_of(node):
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


# ---- decorators ----


def arguments_of(call, order):
    """A call's arguments by name."""
    found = dict(zip(order, call.args))
    found.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
    return found


def decorator(function, names):
    for node in function.decorator_list:
        if isinstance(node, ast.Call) and name_of(node.func) in names:
            return node
    return None


def is_jit(function):
    return any(name_of(node.func if isinstance(node, ast.Call) else node) == "jit" for node in function.decorator_list)


def texts(evaluator, node):
    """A list of texts, or None."""
    try:
        found = evaluator.value(node)
    except Unknown:
        return None
    return found if isinstance(found, list) and all(isinstance(key, str) for key in found) else None


def configs_of(evaluator, node):
    try:
        found = evaluator.value(node)
    except Unknown:
        return None
    return [config.items for config in found] if isinstance(found, list) and all(isinstance(c, Config) for c in found) else None


def heuristics_of(evaluator, call):
    if not call:
        return []
    node = arguments_of(call, ("values",)).get("values")
    while isinstance(node, ast.Name) and node.id in evaluator.names:
        node = evaluator.names[node.id]
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
        assigned, roles = {}, {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                assigned.setdefault(node.targets[0].id, node.value)
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

        for node in ast.walk(function):
            if not isinstance(node, ast.Call):
                continue
            called = name_of(node.func)
            module = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id not in assigned
            module = module and node.func.value.id not in names
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
    positional = [*function.args.posonlyargs, *function.args.args]
    found = dict(zip([p.arg for p in positional[len(positional) - len(function.args.defaults):]], function.args.defaults))
    found.update({p.arg: d for p, d in zip(function.args.kwonlyargs, function.args.kw_defaults) if d})
    return found


def describe(function, evaluator, roles):
    found, defaults = [], defaults_of(function)
    for parameter in parameters_in(function):
        annotation = parameter.annotation
        text = annotation.value if isinstance(annotation, ast.Constant) else name_of(annotation) if annotation else None
        known = roles.of(function).get(parameter.arg, set())
        ways = known - {"descriptor"}
        try:
            value = evaluator.value(defaults[parameter.arg]) if parameter.arg in defaults else None
        except Unknown:
            value = None
        found.append({"name": parameter.arg, "constexpr": text in ("constexpr", "tl.constexpr"), "type": TYPES.get(text),
                      "role": None if not ways else "inout" if len(ways) == 2 else min(ways), "descriptor": "descriptor" in known,
                      "value": value if is_plain(value) else None})
    return found


# ---- a kernel ----


def is_plain(value):
    """True for a value that a workload may have."""
    return isinstance(value, (bool, str)) or (isinstance(value, (int, float)) and abs(value) <= MOST_NUMBER)


def check_values(file, name, configs):
    for number, items in enumerate(configs or (), 1):
        for key, value in items:
            if not is_plain(value):
                raise Refusal(f"{file}: configuration {number} of kernel {name} has {key} = {value!r}, expected a number up to 2^53, a truth value or a text")


def read_kernel(file, function, evaluator, roles):
    call = decorator(function, AUTOTUNERS)
    if not call:
        raise Refusal(f"{file}: kernel {function.name} has no @triton.autotune, so there is no list of configurations to import")
    stated = arguments_of(call, ("configs", "key"))
    if "configs" not in stated:
        raise Refusal(f"{file}: the autotuner of kernel {function.name} has no configs")
    configs = configs_of(evaluator, stated["configs"])
    check_values(file, function.name, configs)
    return {"name": function.name, "configs": configs,
            "keys": texts(evaluator, stated["key"]) if "key" in stated else [],
            "heuristics": heuristics_of(evaluator, decorator(function, ("heuristics",))),
            "others": [[name, ast.unparse(node)] for name, node in stated.items() if name not in ("configs", "key")],
            "parameters": describe(function, evaluator, roles)}


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
        tuned = [key for key, function in kernels.items() if decorator(function, AUTOTUNERS)]
        raise Refusal(f"{file} has no kernel {name}", name, tuned or kernels)
    evaluator, roles = Evaluator(module), Roles(functions)
    twins = [kernels[key] for key in (name, name + "_npu") if key in kernels]
    return [read_kernel(file, function, evaluator, roles) for function in twins]


def find_module(name):
    """The file of package.module, and the folder that it is found from; packages above it are not imported."""
    import importlib.machinery

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


def find(source):
    where, _, name = source.rpartition(":")
    is_file = where.endswith(".py") or "/" in where
    file, top = (where, None) if is_file else find_module(where)
    reads = {path for path in (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, top) if path and os.path.exists(path)}
    return {"file": file, "module": "" if is_file else where, "executable": sys.executable, "reads": sorted(reads), "kernels": read_file(file, name)}


# ---- an import ----


def last_line(e):
    import traceback

    return traceback.format_exception_only(type(e), e)[-1].strip()


def import_file(file, module):
    import importlib
    import importlib.util

    if module:
        sys.path.append(os.getcwd())
        return importlib.import_module(module)
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    name = os.path.splitext(os.path.basename(file))[0]
    spec = importlib.util.spec_from_file_location(name, file)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def text_of(function):
    import inspect

    try:
        return inspect.getsource(function).strip()
    except (OSError, TypeError):
        return repr(function)


def ask_objects(file, loaded, name):
    """What the autotuner and the heuristics around a kernel are."""
    answer = {"name": name, "configs": None, "keys": None, "heuristics": []}
    tuner = getattr(loaded, name)
    for _ in range(16):
        configs = getattr(tuner, "configs", None)
        if configs is not None and answer["configs"] is None:
            answer["configs"] = [Config([*c.kwargs.items(), *((option, getattr(c, option, None)) for option in OPTIONS)]).items for c in configs]
            answer["keys"] = [str(key) for key in getattr(tuner, "keys", None) or getattr(tuner, "key", None) or ()]
        elif isinstance(getattr(tuner, "values", None), dict):
            answer["heuristics"] += [[key, text_of(value)] for key, value in tuner.values.items()]
        tuner = getattr(tuner, "fn", None)
    if answer["configs"] is None:
        raise Refusal(f"{file}: kernel {name} has no autotuner once it is imported")
    check_values(file, name, answer["configs"])
    return answer


def ask_module(file, module, names):
    process = os.getpid()
    try:
        loaded = import_file(file, module)
    except BaseException as e:  # whatever a module does as it is imported, SystemExit among it
        if os.getpid() != process:
            os._exit(1)
        raise Refusal(f"{file} cannot be imported: {last_line(e)}") from None
    if os.getpid() != process:  # a process that the module has left behind
        os._exit(1)
    return {"kernels": [ask_objects(file, loaded, name) for name in names]}


def main():
    # The answer has a descriptor of its own: what a module prints is dropped.
    with os.fdopen(os.dup(1), "w") as answer, open(os.devnull, "r+b", buffering=0) as null:
        os.dup2(null.fileno(), 1)
        os.dup2(null.fileno(), 2)
        try:
            said = find(sys.argv[2]) if sys.argv[1] == "find" else ask_module(sys.argv[2], sys.argv[3], sys.argv[4:])
            for kernel in said["kernels"]:
                if kernel["configs"] is not None and len(kernel["configs"]) > MOST_CONFIGS:
                    raise Refusal(f"{sys.argv[2]}: kernel {kernel['name']} has {len(kernel['configs'])} configurations, at most {MOST_CONFIGS} are imported")
            text = json.dumps(said)
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
