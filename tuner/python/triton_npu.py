"""Triton kernels planned for Ascend NPUs: triton-ascend lowers them, bishengir-compile plans their memory. The text follows that of triton_helper.py.

A plan is all that is made: the compiler's back end, hivmc, is part of CANN. A stand-in for it, first on PATH, keeps the planned module and reports success,
so that the compiler's exit status is the planner's verdict (the facts are in docs/ascend.md).
"""

import math

DISTRIBUTION = "triton-ascend"
PROGRAMS = ("bishengir-compile", "bishengir-compile-a5")  # for A2 and A3; for 950
ARCH = "Ascend910B3"  # the name that triton-ascend wants to hear; the lowered text is the same for all models of a family
TRIES = 3  # of triton-adapter-opt, which one lowering in seventy kills by a dangling pointer, whatever the kernel is
LIMIT = 1 << 20  # bytes of a compiler's output that are read, from its beginning and from its end
SPACES = {"ub": "ub", "cbuf": "l1", "cc": "l0c"}  # memory spaces of the planner, as asctune calls them
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32}

# Compilers are short processes that build one large graph: memory that malloc gives back is got anew at once, two in a hundred of their time.
MEMORY = {"MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "1000000000", "MALLOC_TOP_PAD_": "16000000"}

OPTIONS = NPU_OPTIONS
ALWAYS = ("enable-hfusion-compile", "enable-triton-kernel-compile", "enable-hivm-compile")
UNPLANNED = ("enable-print-memory-allocated-size", "mlir-disable-threading")  # change no plan: passed where the compiler knows them

PROBE = """import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)
"""

BACK_END = """#!/bin/sh
case "$1" in --version) echo "hivmc 1.2.0" ;; *) exec cp "$1" planned.mlir ;; esac
"""


# ---- facts ----


def folders_of_compilers(triton):
    """Folders that may have the compiler, the most special first: the user's, triton-ascend's own, the package's, those of PATH."""
    package = importlib.util.find_spec("ascendnpuir")
    yield os.environ.get("TRITON_NPU_COMPILER_PATH", "")
    yield from sorted(glob.glob(os.path.join(triton, "backends", "ascend", "**", "bin"), recursive=True))
    yield from (os.path.join(path, "bin") for path in (package.submodule_search_locations or () if package else ()))
    yield from os.environ.get("PATH", "").split(os.pathsep)


def say(path, option):
    """Version of a compiler, in its own words, within seconds; "" of one that cannot be started."""
    try:
        run = subprocess.run([path, option], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stdout[:LIMIT].decode("utf-8", "replace") if run.returncode == 0 else ""


def describe_compiler(path):
    """Name with version, targets and options of a compiler, each asked once; None where it does not say."""
    version = re.search(r"\d+\.\d[\w.]*(?: \([^)\n]*\))?", say(path, "--version"))
    helped = say(path, "--help")
    targets = re.findall(r"^ +=(Ascend\w+(?:-\w+)?) ", helped, re.MULTILINE)
    if not version or not targets:
        return None
    build = re.sub(r"\(\S*/\S* ", "(", version.group())  # the folder that it was built in says nothing
    return {"name": f"{os.path.basename(path)} {build}", "path": os.path.realpath(path), "stamp": str(stamp(path)), "targets": targets,
            "options": sorted({name for name in re.findall(r"--([\w-]+)", helped) if name in (*NPU_FLAGS.values(), *ALWAYS, "reg-based", *UNPLANNED)})}


def family(soc):
    """Index of the program that plans for a model."""
    return int(soc.startswith(("Ascend950", "Ascend910_95")))


def folders_of(compiler):
    """Folders that a compiler reads: its own and its libraries'. What else lies around these may be a user's home, which the sandbox keeps to itself."""
    own = os.path.dirname(compiler)
    return own, *(os.path.join(os.path.dirname(own), name) for name in ("lib", "lib64"))


def find_tools(facts, folder, version):
    if not os.path.isdir(os.path.join(folder, "backends", "ascend")):
        raise Refusal(f"has Triton {version}, which is not triton-ascend")
    facts["planners"] = []
    for i, program in enumerate(PROGRAMS):
        paths = (os.path.join(place, program) for place in folders_of_compilers(folder) if place)
        found = next((c for c in map(describe_compiler, filter(lambda path: os.access(path, os.X_OK), paths)) if c), None)
        if found:
            found["targets"] = [soc for soc in found["targets"] if family(soc) == i]
            facts["planners"].append(found)
    facts["tools"] = ", ".join(p["name"] for p in facts["planners"])
    facts["interpreter"]["reads"] += filter(os.path.isdir, (place for p in facts["planners"] for place in folders_of(p["path"])))
    if not facts["planners"]:
        raise Refusal(f"has triton-ascend {version}, but there is no bishengir-compile (python package ascendnpu-ir)")


# ---- options ----


def take_option(prepared, name, value):
    if type(value) not in (bool, int, str):
        raise Refusal(f"{name} is {json.dumps(value)}, expected a truth value, a number or a text")
    if value != 0 or value is False:  # a number of 0 leaves the choice to the compiler
        prepared.options[name] = value


# ---- lowering ----


def settle():
    """Makes triton-ascend ready, and the probe kernel that tells whether it can be used."""
    import linecache
    import types

    os.environ.update(MEMORY, TRITON_ASCEND_ARCH=ARCH)
    import triton.compiler.compiler  # noqa: F401

    name = "<the probe kernel>"
    linecache.cache[name] = (len(PROBE), None, PROBE.splitlines(True), name)
    module = types.ModuleType("asctune_probe")
    exec(compile(PROBE, name, "exec"), vars(module))
    sys.modules["asctune_probe"] = module


def source_of(prepared):
    """The kernel with its signature. Up to Triton 3.2 a signature leaves out what is constant."""
    import inspect

    from triton.compiler import ASTSource

    if "constants" in inspect.signature(ASTSource.__init__).parameters:
        plain = {name: kind for name, kind in prepared.signature.items() if kind != "constexpr"}
        return ASTSource(fn=prepared.kernel, signature=plain, constants=prepared.constants)
    return ASTSource(prepared.kernel, prepared.signature, prepared.constants)


def lower_once(prepared, backend, options, target):
    from triton._C.libtriton import ir

    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source_of(prepared).make_ir(options, backend.get_codegen_implementation(), backend.get_module_map(), context)
    stages, metadata = {}, {"target": target, "hash": "asctune", **vars(options)}
    backend.add_stages(stages, options)
    return str(stages["ttadapter"](stages["ttir"](module, metadata), metadata))


lowered = {}  # texts of this process's kernels, by all that they depend on; the oldest first
LOWERED = 256  # that are kept


def lower(prepared):
    """The kernel in the compiler's language, and the options that were chosen for it."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend

    target = GPUTarget("npu", ARCH, 0)
    backend = make_backend(target)
    options = backend.parse_options({**({"compile_on_910_95": True} if family(prepared.arch) else {}), **prepared.options})
    # All that the text depends on. Options of the planner alone are no part of it, so that variants by these are lowered once.
    lowers = {name: value for name, value in prepared.options.items() if name not in NPU_FLAGS}
    key = repr((id(prepared.kernel), family(prepared.arch), prepared.signature, prepared.constants, prepared.divisible, lowers))
    for tried in range(1, TRIES + 1):
        try:
            if key not in lowered:
                lowered[key] = lower_once(prepared, backend, options, target)
            if len(lowered) > LOWERED:
                del lowered[next(iter(lowered))]
            return lowered[key], options
        except subprocess.CalledProcessError as e:
            said = (e.stderr or b"").decode("utf-8", "replace")
            if e.returncode >= 0:
                raise Refusal(unsupported(said) or f"{first_error(said)}\n{said}") from e
            if tried == TRIES:
                raise Trouble(f"{os.path.basename(e.cmd[0])} was killed by signal {-e.returncode}, {TRIES} times") from e
        except Exception as e:
            if unsupported(f"{e} {e.__cause__}"):
                raise Refusal(unsupported(f"{e} {e.__cause__}")) from e
            raise


def unsupported(said):
    """The reason where the front end says that an NPU has no such type; else ""."""
    line = next((line.strip() for line in said.splitlines() if "unsupported on Ascend" in line or "unexpected type fp" in line), "")
    return f"unsupported: {line.rpartition('error: ')[2]}" if line else ""


# ---- planning ----


def first_error(said):
    """The compiler's line that says why, without the place in a temporary file."""
    lines = [line.rpartition("error: ")[2] for line in said.splitlines() if "error: " in line and "pipeline" not in line] or said.strip().splitlines()
    return lines[0].partition(" (possible reason")[0].strip().rstrip("!") if lines else "the compiler said nothing"


def flags_of(planner, options, stated):
    """The options that are passed, by their names on the command line. One that was asked for and is not known is a refusal, another is left out."""
    passed = {}
    for name, flag in NPU_FLAGS.items():
        value = getattr(options, name, stated.get(name))
        if value is not None and flag not in planner["options"] and name in stated:
            raise Refusal(f"unsupported: {planner['name']} has no option --{flag}")
        if value is not None and flag in planner["options"]:
            passed[flag] = str(value).lower() if isinstance(value, bool) else str(value)
    for flag in ALWAYS:
        if flag == "enable-hivm-compile" and "reg-based" in planner["options"]:
            flag = "reg-based"  # newer compilers know it instead
        if flag in planner["options"]:
            passed[flag] = "true"
    return passed


def read_ends(file):
    """Output of a compiler: all of it, or the beginning and the end of a flood."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    text = file.read(LIMIT)
    if size > 2 * LIMIT:
        file.seek(size - LIMIT)
        text += b"\n...\n"
    return (text + file.read()).decode("utf-8", "replace")


def run_planner(planner, soc, flags, text, folder):
    """Exit status, output and planned module ("": none) of the compiler on a lowered kernel."""
    tools = os.path.join(folder, "tools")
    os.mkdir(tools)
    for name in ("hivmc", "hivmc-a5"):
        # Executable from the beginning: the sandbox changes no modes.
        with open(os.path.join(tools, name), "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
            file.write(BACK_END)
    with open(os.path.join(folder, "kernel.ttadapter.mlir"), "w", encoding="utf-8") as file:
        file.write(text)
    words = [planner["path"], "kernel.ttadapter.mlir", f"--target={soc}", *(f"--{flag}={value}" for flag, value in flags.items()), "-o", "kernel.o"]
    if "mlir-disable-threading" in planner["options"]:  # questions are asked side by side: threads of one are system time alone
        words.append("--mlir-disable-threading")
    if family(soc) and "enable-print-memory-allocated-size" in planner["options"]:
        words.append("--enable-print-memory-allocated-size")
    environment = {**os.environ, "PATH": tools + os.pathsep + os.environ.get("PATH", "/usr/bin:/bin")}
    with open(os.path.join(folder, "said"), "w+b") as said:
        try:
            status = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False).returncode
        except OSError as e:
            raise Trouble(f"{planner['path']} cannot be started: {e.strerror}") from e
        log = read_ends(said)
    if str(stamp(planner["path"])) != planner["stamp"]:  # its verdict would be kept under another version's name
        raise Trouble(f"{planner['path']} was changed while it was asked")
    if status < 0:
        raise Trouble(f"{planner['name']} was killed by signal {-status}")
    try:
        with open(os.path.join(folder, "planned.mlir"), encoding="utf-8") as file:
            return status, log, file.read()
    except FileNotFoundError:
        return status, log, ""


def planned_bytes(module):
    """End of the highest buffer in each memory space. A double buffer has two places in one cast."""
    top, values = dict.fromkeys(SPACES.values(), 0), {}
    for line in module.splitlines():
        if "func.func" in line:
            values = {}  # names are local to a function
        elif "constant" in line:
            if known := re.search(r"%(\w+) = (?:arith\.constant |llvm\.mlir\.constant\()(\d+) : i64", line):
                values[known[1]] = int(known[2])
        elif "pointer_cast" in line:
            cast = re.search(r"pointer_cast\(([^)]*)\).* : memref<((?:\d+x)*)(\w+), .*address_space<(\w+)>>", line)
            if not cast or cast[4] not in SPACES or cast[3] not in BITS:
                continue
            size = math.prod((BITS[cast[3]], *map(int, cast[2].split("x")[:-1])))
            for name in re.findall(r"%(\w+)", cast[1]):
                if name in values:
                    top[SPACES[cast[4]]] = max(top[SPACES[cast[4]]], values[name] + (size + 7) // 8)
    return top


def constant_of(module, function):
    """The number that a function of the module returns; None where there is no such function."""
    found = re.search(rf"@\w*{function}\(.*?constant (\d+) :", module, re.DOTALL)
    return int(found[1]) if found else None


def describe_plan(text, module, log, flags):
    """Metadata of a kernel that fits."""
    retries = re.findall(r"\[NOTE\] \w+ overflow detected; automatically set ([\w-]+) to (\w+)", log)
    planned = planned_bytes(module)
    if told := re.findall(r"Allocated UB size = (\d+) bits", log):
        planned["ub"] = int(told[-1]) // 8
    mode = re.search(r'mix_mode = "(\w+)"', text)
    return {"planned": planned, "requested": flags, "effective": {**flags, **dict(retries)}, "retries": len(retries), "mix_mode": mode[1] if mode else None,
            "task_type": constant_of(module, "_infer_task_type_function"), "workspace": constant_of(module, "_infer_workspace_shape_function"),
            "tiles": sorted({"x".join(t) for t in re.findall(r"(?:tensor|memref)<(\d+(?:x\d+)*)x(\w+)", text)}),
            "program": hashlib.sha256(module.encode()).hexdigest()[:32]}


def check_room(folder):
    """Raises where the disk is full: then a compiler may fail without a word of it, and that is no verdict."""
    with open(os.path.join(folder, "room"), "wb") as file:
        file.write(bytes(4096))


def compile_kernel(prepared, output):
    """The planner's verdict. The probe kernel's refusal is trouble: another compiler of that version may plan it, so it is not to be remembered."""
    planners = json.loads(sys.argv[2])
    planner = next((p for p in planners if prepared.arch in p["targets"]), None)
    if planner is None:
        raise Refusal(f"unsupported: no compiler here plans for {prepared.arch}")
    compiling["kernel"] = prepared.kernel.__name__
    try:
        text, options = lower(prepared)
    finally:
        compiling.clear()
    flags = flags_of(planner, options, prepared.options)
    status, log, module = run_planner(planner, prepared.arch, flags, text, os.path.dirname(output))
    if status == 0 and module:
        return "planned", describe_plan(text, module, log, flags)
    if overflow := re.findall(r"(ub|cbuf|cc) overflow, requires \d+ bits while \d+ bits available", log):
        # The last one is of the last retry; its numbers are shown, and mean no need that could be computed with.
        line = next(line for line in reversed(log.splitlines()) if f"{overflow[-1]} overflow, requires" in line)
        reason = f"{SPACES[overflow[-1]]}: {first_error(line)}"
    elif status == 0:
        raise Trouble(f"{planner['name']} ended well without a plan")
    else:
        check_room(os.path.dirname(output))
        reason = first_error(log)
    code = prepared.kernel.fn.__code__
    reason += f" ({prepared.kernel.__name__}, {os.path.basename(code.co_filename)}:{code.co_firstlineno})"
    raise Trouble(f"error: {reason}") if prepared.kernel.__module__ == "asctune_probe" else Refusal(f"{reason}\n{log}")
