"""Tunes one kernel from a program or a notebook: `tune` records a call of it, or makes a workload for a kernel in C or CUDA, and runs the program asctune
beside this process: what a kernel does wrong is not done here."""

from __future__ import annotations

import atexit
import html
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from typing import Any, Callable, NamedTuple, Optional

from . import _capture, give

NUMBERS = {"int": "i32", "int32_t": "i32", "unsigned": "u32", "unsigned int": "u32", "uint32_t": "u32", "long": "i64", "long long": "i64", "int64_t": "i64",
           "size_t": "u64", "uint64_t": "u64", "float": "f32", "double": "f64"}
# How far a right result may be off one in float64, as a part of it and of the outputs' root mean square: 64 roundings of a sum, 4 of a result in half a word, 2 in a byte.
TOLERANCES = {"f64": 64 * 2.0**-52, "f32": 64 * 2.0**-23, "f16": 4 * 2.0**-10, "bf16": 4 * 2.0**-7, "f8e4m3": 2 * 2.0**-3, "f8e5m2": 2 * 2.0**-2}


class Tuned(NamedTuple):
    """`best` is a triton.Config, or the values of a kernel in C; `table` and `page` are files, `rows` those of the table, `sure` is as in `asctune best`."""

    best: Any
    table: str
    sure: str
    page: str
    rows: list[dict[str, Any]]

    def __repr__(self) -> str:
        row = self.rows[0]
        return f"{self.best}: {row['median_ns'] / 1000:.4g} us, {row['vs_default'] or 1:.2f} x default, {self.sure}; {self.table}, {self.page}"

    def _repr_html_(self) -> str:
        with open(self.page, encoding="utf-8") as page:
            return f'<iframe style="width: 100%; height: 40em; border: 0" srcdoc="{html.escape(page.read())}"></iframe>'



def _make_folder(named: Any) -> str:
    """The folder that the caller has named; else one that goes as this process ends."""
    if named is not None:
        os.makedirs(named, 0o700, exist_ok=True)
        if os.listdir(named):
            raise FileExistsError(f"{named} is not empty: name another folder, or remove this one")
        return os.path.abspath(str(named))
    made, process = tempfile.mkdtemp(prefix=f"asctune-tune-{os.getpid()}-"), os.getpid()
    atexit.register(lambda: process == os.getpid() and shutil.rmtree(made, ignore_errors=True))  # no forked child removes it
    return made


def _program() -> str:
    here = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "bin"))
    found = shutil.which("asctune", path=os.pathsep.join([here, sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)]))
    if not found:
        raise FileNotFoundError(f"the program asctune is neither in {here} nor in PATH")
    return found


def _run(*words: str) -> None:
    """Runs asctune; what it says goes on as it comes, also where standard error is no file, as in a notebook."""
    environment = {**os.environ, "ASCTUNE_PYTHON": os.environ.get("ASCTUNE_PYTHON") or sys.executable}
    with subprocess.Popen([_program(), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) as child:
        line = ""
        try:
            for text in child.stdout or ():
                print(text, end="", file=sys.stderr, flush=True)
                line = line if text.startswith("results in ") else text  # where they are says nothing of what went wrong
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            raise
    if child.returncode:
        raise RuntimeError(f"asctune {words[0]} ended with status {child.returncode}: {line.strip()}")


# ---- Triton ----


def _record(folder: str, kernel: Any, calls: list[tuple], grid: Any, reference: Any, configs: Any, key: Any, constants: dict[str, Any]) -> None:
    """Calls the kernel once for each problem under the recorder, with the first configuration."""
    fn = _capture.kernel_of(kernel)
    tuner = _capture.tuner_of(kernel) or fn
    if configs or tuner is fn:
        numbers = [name for name, value in [*zip(fn.arg_names, calls[0]), *constants.items()] if isinstance(value, int)]
        kernel = tuner = give.autotune(configs, key or getattr(tuner, "keys", numbers))(kernel if tuner is fn else tuner.fn)
    own = give.serve(tuner, [], measures=False)
    names = fn.arg_names[:len(calls[0])]
    _capture.arm(folder, only={fn}, reference=reference and (lambda **given: reference(*(given[name] for name in names))))
    try:
        for call in calls:
            kernel[grid](*call, **constants)
        for name, reason in _capture.recorder.skips:
            if name == "the reference":
                raise ValueError(f"the reference: {reason}")
    finally:
        _capture.disarm()
        own()
    _run("capture", "-o", folder)


# ---- C and CUDA ----


def _member(array: Any) -> tuple:
    """An array of torch or numpy as a member of a file of tensors."""
    shape, kind = [int(size) for size in array.shape], _capture.type_name(array.dtype)
    if hasattr(array, "detach"):
        array = array.detach().cpu().contiguous().reshape(-1).view(sys.modules["torch"].uint8).numpy()
    return kind, shape, array.tobytes()


def _wide(value: Any) -> Any:
    real = hasattr(value, "dtype") and _capture.type_name(value.dtype) in TOLERANCES
    return value.double() if real and hasattr(value, "double") else value.astype("f8") if real else value


def _write_workload(folder: str, source: str, entry: str, calls: list[tuple], launch: Any, reference: Any, space: dict[str, Any]) -> str:
    """A workload of the calls: a number is a dimension under its name, an axis of a tensor one under NAME_0; a pointer that is not const is an output."""
    with open(source, encoding="utf-8") as file:
        found = re.search(rf"\b{re.escape(entry)}\s*\(([^()]*)\)\s*{{", file.read())
    if not found:
        raise ValueError(f"{source} has no function {entry}")
    parameters = []
    for text in found[1].split(","):
        words = re.findall(r"\w+", text)
        kind = " ".join(word for word in words[:-1] if word != "const")
        parameters.append((f"{kind} *" if "*" in text else kind, words[-1], "const" in text.split("*")[0]))
    if len(calls[0]) > len(parameters):
        raise ValueError(f"{source}: {entry} takes {len(parameters)} arguments, not {len(calls[0])}")
    problems: list[Any] = []
    tensors: dict[str, Any] = {}
    for n, call in enumerate(calls):
        dims: dict[str, Any] = {}
        arguments: list[Any] = []
        members, given = {}, list(call)
        for place, (value, (kind, name, is_input)) in enumerate(zip(call, parameters)):
            value = value.item() if kind in NUMBERS and hasattr(value, "item") else value  # a number of numpy or torch
            if not hasattr(value, "shape"):
                if kind not in NUMBERS:
                    raise ValueError(f"{source}: {name} is a {kind}, and {value!r} is no array")
                dims[name] = value
                arguments.append({"scalar": name, "type": NUMBERS[kind]})
                continue
            member = _member(value)
            dims.update({f"{name}_{axis}": size for axis, size in enumerate(member[1])})
            tensors[name] = {"shape": [f"{name}_{axis}" for axis in range(len(member[1]))] or ["1"], "dtype": member[0], "role": "in" if is_input else "out"}
            arguments.append({"tensor": name})
            if is_input:
                members[name], tensors[name]["fill"], given[place] = member, {"kind": "file"}, _wide(value)
            elif member[0] in TOLERANCES:  # without a reference the size of outputs is not known: about 1
                part = TOLERANCES[member[0]]
                tensors[name]["verify"] = {"kind": "allclose", "tolerance": {member[0]: {"atol": part, "rtol": part}}}
        outputs = [name for name in tensors if tensors[name]["role"] == "out"]
        for name, array in _capture.by_name(reference(*given) if reference else {}, outputs, f"{entry} has").items():
            if name not in outputs or not hasattr(array, "shape"):
                raise ValueError(f"the reference returns {type(array).__name__} as {name}, expected an array for each of {', '.join(outputs)}")
            members[f"{name}:out"], kind = _member(_wide(array)), tensors[name]["dtype"]
            if kind in TOLERANCES:
                numbers = memoryview(members[f"{name}:out"][2]).cast("d")
                dims[f"atol_{name}"] = TOLERANCES[kind] * (sum(x * x for x in numbers) / max(1, len(numbers))) ** 0.5
                tensors[name]["verify"]["tolerance"][kind]["atol"] = f"atol_{name}"
        with open(os.path.join(folder, f"p{n}.safetensors"), "wb") as data:
            data.writelines(_capture.safetensors(members))
        problems.append({"name": f"p{n}", "dims": dims, "sets": [f"p{n}.safetensors"]})
        # A function in C is called for each block of the grid, whose number follows its own arguments.
        arguments += [{"builtin": builtin} for builtin, _ in zip(("block_x", "block_y", "block_z"), parameters[len(call):])]
    op, is_cuda = f"{os.path.basename(source)}:{entry}", source.endswith(".cu")
    values = {name: {"values": list(values), **({"stage": "launch"} if name == "THREADS" and not is_cuda else {})} for name, values in space.items()}
    workload = {
        "asctune": 1, "name": entry, "operator": op, "problems": problems, "tensors": tensors, "reference": "files" if reference else "configuration",
        "export": {"triton": {"operator": op, "sizes": {name: name for name, value in dims.items() if isinstance(value, int)}}},
        "implementations": [{"name": "kernel", "devices": ["cuda" if is_cuda else "cpu"], "source": os.path.abspath(source), "entry": entry,
                             "parameters": values, "launch": launch, "arguments": arguments}]}
    with open(os.path.join(folder, f"{entry}.json"), "w", encoding="utf-8") as out:
        json.dump(workload, out, indent=2)
    return out.name


# ---- both ----


def tune(kernel: Any, *args: Any, grid: Any = None, reference: Optional[Callable] = None, configs: Any = None, space: Optional[dict[str, Any]] = None,
         problems: Any = (), budget: Any = None, key: Any = None, block: Any = "THREADS", folder: Any = None, **constants: Any) -> Tuned:
    """Finds the best configuration of a kernel called with `args`.

    `kernel` is one of Triton, with or without a list of configurations, or "FILE.cu:KERNEL", "FILE.c:FUNCTION". `configs` are triton.Config, `space` has each
    parameter's values by name (num_warps and the like among them; macros of C). `problems` are further tuples of arguments. `reference(*args)` computes the
    outputs, in float64; without it the first configuration says what is right. `budget` is that of `asctune run`. In C and CUDA, `grid` and `block` are
    formulas or lists of them, over parameters, numbers, and axes of tensors as NAME_0. `folder` keeps table, page and database; without it these go as the
    program ends."""
    calls, space = [args, *problems], space or {}
    source, _, entry = kernel.rpartition(":") if isinstance(kernel, str) else ("", "", "")
    if not source.endswith((".c", ".cu")) and not hasattr(kernel, "fn"):
        raise TypeError(f"expected a kernel of Triton, FILE.cu:KERNEL or FILE.c:FUNCTION, not {kernel!r}")
    _program()  # nothing is recorded in vain
    folder = file = _make_folder(folder)
    if source:
        blocks, threads = [value if isinstance(value, list) else [str(value)] for value in (grid, block)]
        launch = {"grid": blocks, **({"block": threads} if source.endswith(".cu") else {"threads": "THREADS"} if "THREADS" in space else {})}
        file = _write_workload(folder, source, entry, calls, launch, reference, {**space, **{name: [value] for name, value in constants.items()}})
    else:
        configs = configs or [give.config_of(dict(zip(space, values))) for values in itertools.product(*space.values()) if space]
        _record(folder, kernel, calls, grid, reference, configs, key, constants)
    database, table, page = (os.path.join(folder, name) for name in ("asctune.db", "best.json", "report.html"))
    _run("run", file, "--device", "cpu" if source.endswith(".c") else "cuda", "--db", database, *(["--budget", str(budget)] if budget else []))
    _run("export", "json", "--db", database, "-o", folder)
    _run("report", "--db", database, "-o", page)
    with open(table, encoding="utf-8") as best:
        rows = sorted(json.load(best)["configurations"], key=lambda row: row["problem"] != "p0")
    return Tuned(rows[0]["config"] if source else give.config_of(rows[0]["config"]), table, rows[0]["sure"], page, rows)
