"""Compiles Triton kernels for asctune, without torch and without a device.

A program is four texts: interpreter.py, this one, that of the device (triton_cuda.py, triton_npu.py), and triton_serve.py. `python -c TEXTS probe` prints facts of the
interpreter as JSON. `python -c TEXTS serve` answers requests on descriptor 3, one JSON object a line, as tuner/build/compile_server.h says; their words are

    OUTPUT SOURCE ENTRY DIGEST ARCH REQUEST

OUTPUT is the file to make, "-" to look at the kernel only. SOURCE is a path, or package.module:kernel. DIGEST is what the kernel was found to be, "" if that
is not known. REQUEST is {"arguments": [...], "values": {NAME: VALUE}, "shared": BYTES} or null: then the kernel is found and nothing else. An argument is
{"tensor": T}, {"int": N}, {"real": true}, {"truth": true}, {"scratch": true}, {"descriptor": T, "box": [N, ...]} or null, and T a dtype of asctune.
A tensor whose address 16 does not divide has "unaligned": true.

The text of a device has
    DISTRIBUTION                         how its Triton is called in messages
    find_tools(facts, folder, version)   adds to the facts of the interpreter; raises where its Triton cannot be used
    settle()                             makes Triton ready for the first kernel
    OPTIONS                              names of the compiler's options
    take_option(prepared, name, value)   takes the value of one of these
    compile_kernel(prepared, output)     outcome and metadata of a compile; raises Refusal where there is none
"""

import sys

sys.path[:] = [path for path in sys.path if path]  # nothing is imported from the current folder, which anybody may have filled

import glob
import hashlib
import importlib.util
import json
import os
import re
import subprocess

DTYPES = {  # of asctune, as members of triton.language
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
    "u64": "uint64", "u32": "uint32", "u16": "uint16", "u8": "uint8", "bool": "int1", "f8e4m3": "float8e4nv", "f8e5m2": "float8e5",
}
TYPES = {  # of asctune, in Triton's signatures
    ours: name.replace("bfloat", "bf").replace("float", "fp").replace("uint", "u").replace("int", "i") for ours, name in DTYPES.items()
}
NAMES = {**{name: ours for ours, name in TYPES.items()}, "u1": "bool"}  # of asctune, by those

# Options of the compilers. A kernel for both devices has parameters for both; each compiler is passed its own.
CUDA_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "launch_pdl", "launch_cooperative_grid", "ptx_options",
                "default_dot_input_precision", "max_num_imprecise_acc_default", "sanitize_overflow", "debug")
NPU_FLAGS = {  # by their names in triton-ascend's launches, those on the command line of the compiler
    "multibuffer": "enable-auto-multi-buffer", "enable_auto_bind_sub_block": "enable-auto-bind-sub-block",
    "enable_hivm_auto_cv_balance": "enable-hivm-auto-cv-balance", "sync_solver": "enable-hivm-graph-sync-solver", "unit_flag": "enable-hivm-unit-flag-sync",
    "inject_barrier_all": "enable-hivm-inject-barrier-all-sync", "inject_block_all": "enable-hivm-inject-block-all-sync",
    "disable_auto_inject_block_sync": "disable-auto-inject-block-sync",
    "limit_auto_multi_buffer_only_for_local_buffer": "limit-auto-multi-buffer-only-for-local-buffer",
    "limit_auto_multi_buffer_of_local_buffer": "limit-auto-multi-buffer-of-local-buffer", "set_workspace_multibuffer": "set-workspace-multibuffer",
    "tile_mix_vector_loop": "tile-mix-vector-loop", "tile_mix_cube_loop": "tile-mix-cube-loop",
}
NPU_OPTIONS = (*NPU_FLAGS, "enable_linearize", "enable_nd2nz_on_vector", "enable_select_analysis")  # the last ones are of the lowering

# Beginnings of the variables that change what is compiled.
VARIABLES = ("TRITON_", "PROTON_", "LLVM_", "MLIR_", "PTXAS_OPTIONS", "DISABLE_PTXAS_OPT", "DISABLE_LLVM_OPT", "DISABLE_FAST_REDUCTION", "DISABLE_MMA_V3",
             "ENABLE_TMA", "ENABLE_MMA_V3", "ENABLE_PERSISTENT", "NVPTX_ENABLE_DUMP", "USE_IR_LOC", "USE_TTGIR_LOC", "SWAP_XOR_SWIZZLE",
             "ALLOW_LHS_TMEM_LAYOUT_CONVERSION")


class Refusal(Exception):
    """The workload or the kernel is at fault; the text says how."""


class Absence(Exception):
    """The kernel's module cannot be imported here."""


class Trouble(Exception):
    """The machine is at fault: no verdict on the kernel."""


compiling = {}  # facts of the compile that runs; empty between compiles


# ---- facts of the interpreter ----


def probe():
    facts = {"interpreter": interpreter_facts(), "foreign": [name for name in (*CUDA_OPTIONS, *NPU_OPTIONS) if name not in OPTIONS]}
    try:
        spec = importlib.util.find_spec("triton")  # which does not import it
        if not spec or not spec.origin:
            raise ImportError("No module named 'triton'")
        with open(spec.origin, encoding="utf-8") as file:
            stated = re.search(r"^__version__ *= *['\"]([^'\"]+)['\"]", file.read(), re.MULTILINE)
        version = stated[1] if stated else "of an unknown version"
        facts["triton"] = f"{DISTRIBUTION} {version}"
        find_tools(facts, os.path.dirname(spec.origin), version)
    except Refusal as e:
        facts["reason"] = str(e)
    except Exception as e:  # whatever is wrong with an installation is a reason
        facts["reason"] = f"cannot use {DISTRIBUTION}: {last_line(e)}"
    print(json.dumps(facts))


# ---- kernels ----


def last_line(e):
    import traceback

    return without_package(traceback.format_exception_only(type(e), e)[-1].strip())


def did_you_mean(name, names):
    import difflib

    near = difflib.get_close_matches(name, list(names), 1)
    return f' (did you mean "{near[0]}"?)' if near else ""


def import_module(source):
    """The module of a source: a path, or package.module:kernel."""
    import multiprocessing
    import threading

    process = os.getpid()
    # Libraries make folders in the home folder as they are imported, and locks for several processes. Here is a folder of its own, and one process.
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        del os.environ[name]
    os.environ["HOME"] = os.environ.get("TMPDIR", "/nonexistent")
    multiprocessing.Lock, multiprocessing.RLock = threading.Lock, threading.RLock
    try:
        return importlib.import_module(source.partition(":")[0]) if is_module(source) else import_file(source, standard)
    finally:
        if os.getpid() != process:  # a child that the module has forked
            os._exit(0)


def is_module(source):
    return "/" not in source and ":" in source


def unwrap(value):
    """The JITFunction under decorators like autotune and heuristics; None where there is none."""
    from triton.runtime.jit import JITFunction

    while value is not None and not isinstance(value, JITFunction):
        value = getattr(value, "fn", None)
    return value


def load(source, entry):
    try:
        module = import_module(source)
    except BaseException as e:  # a module may raise anything, SystemExit too
        raise Absence(f"{source} cannot be imported: {last_line(e)}") from e
    kernels = [name for name, value in vars(module).items() if unwrap(value) is not None]
    kernel = unwrap(getattr(module, entry, None))
    if kernel is None:
        raise Refusal(f'{source} has no kernel "{entry}"{did_you_mean(entry, kernels)}')
    return kernel


def named(kernel):
    """Meanings of a kernel's names: globals, and members of the modules among them."""
    names = kernel.fn.__code__.co_names
    values, modules = [kernel.fn.__globals__.get(name) for name in names], []
    for value in values:  # the list grows meanwhile
        if type(value) is type(os) and value not in modules:
            modules.append(value)
            values += [getattr(value, name, None) for name in names]
    return values


def called(kernel, seen):
    """All kernels that the kernel may call, and behind them itself; without those that were `seen`."""
    from triton.runtime.jit import JITFunction

    if kernel in seen:
        return []
    seen.append(kernel)
    return [*(inner for value in named(kernel) if isinstance(value, JITFunction) for inner in called(value, seen)), kernel]


def text_of(value):
    """The text of a global, the same in every process: a function's own in place of its address."""
    import inspect

    while type(value).__name__ == "constexpr":
        value = value.value
    if inspect.isfunction(value):
        try:
            return inspect.getsource(value)
        except OSError:
            return f"{value.__module__}.{value.__qualname__}"
    return re.sub(" at 0x[0-9a-f]+", "", repr(value))


def describe(kernel):
    """Identity of a kernel: a digest of its text, of what it calls and of the globals that it reads; the files of these; names of its constants."""
    import triton

    own = os.path.dirname(triton.__file__)
    functions = called(kernel, [])
    # Triton finds the globals as it makes its own key, which is no use here: it has addresses of functions that are constants. A kernel takes over the globals
    # of those that it calls as far as their keys are known: these come first.
    for f in functions:
        f.cache_key
    read = {key: value for f in functions for key, value in getattr(f, "used_global_vals", {}).items()}
    text = [f"{f.fn.__qualname__} {f.starting_line_number}\n{f.src}" for f in functions]  # the compiler notes lines
    text += sorted(f"{key[0]}={text_of(value)}" for key, (value, names) in read.items() if not names.get("__name__", "").startswith("triton."))
    files = sorted({os.path.realpath(f.fn.__code__.co_filename) for f in functions})
    return {"digest": hashlib.sha256("\n".join(text).encode()).hexdigest(), "files": [f for f in files if not f.startswith(own + os.sep)],
            "constants": [p.name for p in kernel.params if p.is_constexpr]}


def stamp(path):
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size


# ---- signatures ----


def specialise(parameter, argument):
    """Type of a parameter, its value where that is a constant, and True where it is known to be divisible by 16, as Triton's own launches choose them."""
    written = parameter.annotation_type
    loose = parameter.do_not_specialize
    aligns = not loose and not parameter.do_not_specialize_on_alignment
    if argument is None:
        return "constexpr", None, False
    if "tensor" in argument or "scratch" in argument:
        element = TYPES[argument["tensor"]] if "tensor" in argument else "i8"
        return written or ("*k" if parameter.is_const else "*") + element, None, aligns and not argument.get("unaligned")
    if "descriptor" in argument:
        return f"tensordesc<{TYPES[argument['descriptor']]}{list(argument['box'])}>", None, False
    if "int" in argument:
        value = argument["int"]
        if value == 1 and not loose and not written:
            return "constexpr", 1, False
        # Triton specialises no truth value and no real, as a parameter's annotation names them.
        kind = "i32" if -(2**31) <= value < 2**31 else "i64" if value < 2**63 else "u64"
        return written or kind, None, aligns and value % 16 == 0 and written != "u1" and written[:2] not in ("fp", "bf")
    return written or ("fp32" if "real" in argument else "u1"), None, False


class Prepared:
    """A kernel with all that a compile needs."""

    def __init__(self, kernel, arch, request):
        self.kernel, self.arch = kernel, arch
        self.shared = request["shared"]
        self.signature, self.constants, self.divisible = {}, {}, {}
        self.passed = []  # (index among the arguments, argument, type) of what stays a parameter
        self.options = {}
        self.take_values(request["values"])
        self.take_arguments(request["arguments"])

    def take_values(self, values):
        import triton.language as tl

        constants = {p.name: p for p in self.kernel.params if p.is_constexpr}
        for name, value in values.items():
            if name in constants:
                self.constants[name] = getattr(tl, DTYPES[value["dtype"]]) if isinstance(value, dict) else value
            elif name in OPTIONS:
                take_option(self, name, value)
            else:
                hint = did_you_mean(name, [*constants, *OPTIONS])
                said = f'takes "{name}" as an argument, not as a tl.constexpr' if name in self.kernel.arg_names else f'has no tl.constexpr "{name}"{hint}'
                raise Refusal(f"{self.kernel.__name__}() {said}")
        for name, parameter in constants.items():
            if name not in self.constants and not parameter.has_default:
                raise Refusal(f'{self.kernel.__name__}() takes the tl.constexpr "{name}", which is neither a build parameter nor a constant of the workload')
            self.constants.setdefault(name, parameter.default if parameter.has_default else None)

    def take_arguments(self, arguments):
        taken = [p for p in self.kernel.params if not p.is_constexpr]
        if len(taken) != len(arguments):
            names = ", ".join(p.name for p in taken)
            raise Refusal(f"the workload passes {len(arguments)} arguments, {self.kernel.__name__}() takes {len(taken)} ({names})")
        place = 0
        for i, parameter in enumerate(self.kernel.params):
            if parameter.is_constexpr:
                self.signature[parameter.name] = "constexpr"
                continue
            kind, value, divisible = specialise(parameter, arguments[place])
            self.signature[parameter.name] = kind
            if kind == "constexpr":
                self.constants[parameter.name] = value
            else:
                self.passed.append((place, arguments[place], kind))
            if divisible:
                self.divisible[(i,)] = [["tt.divisibility", 16]]
            place += 1


# ---- reasons ----


def reason_of(e):
    """One line that begins with "error:", then all that the compiler says. Of a failed pass, descriptor 2 has the reason."""
    text = str(e).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip(" ^")] or [type(e).__name__]
    if isinstance(e, Refusal):
        return f"error: {text}"
    if "PassManager::run failed" in text:
        return "a pass of the compiler has failed"
    said = next((line for line in lines if line.startswith("ptxas") and (" error " in line or " fatal " in line)), lines[-1])
    cause = last_line(e.__cause__) if e.__cause__ is not None else ""
    parts = (type(e).__name__, *([said] if said not in cause else []), *([cause] if cause else []))
    return f"error: {': '.join(parts)}\n{text}"
