"""Checks that kernels of the package `hard`, written out alone, give the code that they give where they are. Prints TAP.

compare.py FOLDER: FOLDER is where asctune/_cut.py is. A second process, `compare.py - MODULES`, compiles what was written out, without the package."""

import functools
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile

TARGET = GPUTarget("cuda", 90, 32)
KERNELS = {  # name in hard.kernels: signature, constants
    "everything": ({"x_ptr": "*fp32", "out_ptr": "*bf16", "n": "i32"}, {"BLOCK": 128, "EVEN": True}),
    "inner_plus": ({"x_ptr": "*fp32", "n": "i32"}, {"BLOCK": 64}),
    "inner_minus": ({"x_ptr": "*fp32", "n": "i32"}, {"BLOCK": 64}),
    "mutual": ({"x_ptr": "*fp32", "n": "i32"}, {"BLOCK": 64}),
}
if triton.__version__ < "3.6":  # has no end at functions that call each other
    del KERNELS["mutual"]


def code_of(module, name, key):
    """What the compiler makes of a kernel, and facts of its parameters. Places in a file, and the module in names of functions that stay apart, are left out."""
    kernel = getattr(module, name)
    while not hasattr(kernel, "params"):
        kernel = kernel.fn
    signature, constants = KERNELS[key.partition(" ")[0]]
    signature = {**signature, **{constant: "constexpr" for constant in constants}}
    made = compile(ASTSource(kernel, signature, {(kernel.arg_names.index(c),): v for c, v in constants.items()}, {}), target=TARGET)
    text = re.sub(r"\.section.*", "", made.asm["ptx"], flags=re.DOTALL)
    lines = [re.sub(r"[\w$.]*(apart__)", r"\1", line) for line in text.splitlines() if not re.match(r"\s*(\.loc|\.file|//|\$L__)", line)]
    facts = [(p.name, p.is_constexpr, p.annotation_type, p.do_not_specialize) for p in kernel.params]
    return ["\n".join(lines), repr(facts), kernel.repr(None)]


def load(file):
    name = os.path.splitext(os.path.basename(file))[0]
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_alone(files):
    print(json.dumps({key: code_of(load(file), name, key) for key, (file, name) in json.loads(files).items()}))


number = 0


def check(passed, name, *more):
    global number
    number += 1
    print(f"{'ok' if passed else 'not ok'} {number} - {name}")
    for text in more if not passed else ():
        print("\n".join("# " + line for line in str(text).splitlines()))


class Texts:
    """Modules of a folder, as texts."""

    def __init__(self, cutter, folder):
        self.cutter, self.folder = cutter, folder

    @functools.lru_cache(None)
    def module(self, name):
        path = os.path.join(self.folder, *name.split("."))
        for file in (path + ".py", os.path.join(path, "__init__.py")):
            if os.path.exists(file):
                with open(file, encoding="utf-8") as opened:
                    return self.cutter.Module(name, file, opened.read(), self)
        return self.cutter.Refusal(f"there is no {name}")


def main():
    cutter = load(os.path.join(sys.argv[1], "asctune", "_cut.py"))
    here, cut = os.path.dirname(os.path.abspath(__file__)), cutter.cut
    sys.path.insert(0, here)
    kernels, text_of = importlib.import_module("hard.kernels"), Texts(cutter, here).module("hard.kernels")
    with tempfile.TemporaryDirectory() as folder:
        files, texts, plain = {}, {}, [key for key in KERNELS if not key.startswith("inner")]  # a closure is in no text
        for key in KERNELS:
            texts[key], reason = cut(getattr(kernels, key))
            check(texts[key], f"{key} is written out", reason)
        again = {key: cut(getattr(kernels, key))[0] for key in KERNELS}
        check(again == texts, "twice the same text")
        for key in plain:
            texts[key + " as text"], reason = cut(key, module=text_of)
            check(texts[key + " as text"] and cut(key, module=text_of)[0] == texts[key + " as text"], f"{key} is written out of the text, twice the same", reason)
        for key in texts:
            files[key] = [os.path.join(folder, f"cut_{key}.py"), re.findall(r"^def (\w+)", texts[key], re.MULTILINE)[-1]]
            with open(files[key][0], "w") as file:
                file.write(texts[key])
        environment = {**os.environ, "PYTHONPATH": ""}
        ran = subprocess.run([sys.executable, __file__, "-", json.dumps(files)], cwd=folder, env=environment, capture_output=True, text=True)
        check(ran.returncode == 0, "the texts are modules, without the package", ran.stderr[-3000:])
        alone = json.loads(ran.stdout or "{}")
        for key in texts:
            here, there = code_of(kernels, key.partition(" ")[0], key), alone.get(key, ["", "", ""])
            check(here[0] == there[0], f"{key}: the same code", *here, *there)
            check(here[1] == there[1], f"{key}: the same parameters", here[1], there[1])
    check("autotune" not in texts["everything"] and "heuristics" not in texts["everything"], "no autotuner")
    check(code_of(kernels, "everything", "everything")[2] == alone["everything"][2] == "named_by_repr", "its name by repr")
    check("autotune" not in texts["everything as text"] and "heuristics" not in texts["everything as text"], "no autotuner, as text")
    names = re.findall(r"^def (\w+)", texts["everything"], re.MULTILINE)
    check(len(names) == len(set(names)) and {"scale", "scale_1", "max_1"} <= set(names), "functions of one name are kept apart", names)
    check("hard" not in re.sub(r"^#.*", "", texts["everything"]), "nothing is imported of the package", texts["everything"])
    check(texts["inner_plus"] != texts["inner_minus"] and "def plus" in texts["inner_plus"], "closures are told apart")
    text, reason = cut(kernels.refused)
    check(text is None and reason == "names not_here, a hard.ext.Tensor, which has no text", "a value without a text", reason)
    text, reason = cut("unbound", module=cutter.Module("m", "m.py", "import triton\n\n\n@triton.jit\ndef unbound(x):\n    nothing(x)\n", None))
    check(text is None and reason == "names nothing: m.py has no nothing", "a name that a text does not bind", reason)
    text, reason = cut(kernels.plain)
    check(text is None and reason.endswith("is no kernel"), "a function that is no kernel", reason)
    print(f"1..{number}")


compile_alone(sys.argv[2]) if sys.argv[1] == "-" else main()
