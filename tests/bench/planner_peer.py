"""Plans variants of Triton kernels one after the other, in one process: a loop such as anybody would write. The peer of tests/bench/planner.

    PYTHON planner_peer.py TASKS    a JSON list of {"source", "entry", "signature", "constants", "model", "multibuffer"}; a line of JSON for each

Each line has the verdict, planned bytes or not; the last one the processor time of all compilers that were started. With "lower": true a task is lowered
alone, and its line says whether that crashed.
"""
import importlib.util
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

os.environ["TRITON_ASCEND_ARCH"] = "Ascend910B3"
import ascendnpuir
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

PROGRAMS = pathlib.Path(ascendnpuir.__file__).parent / "bin"
BACK_END = '#!/bin/sh\ncase "$1" in --version) echo "hivmc 1.2.0" ;; *) cp "$1" "$KEPT" ;; esac\n'
modules = {}


def kernel_of(source, entry):
    if source not in modules:
        spec = importlib.util.spec_from_file_location(f"kernel{len(modules)}", source)
        modules[source] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[source])
    return getattr(modules[source], entry)


def lower(task):
    target = GPUTarget("npu", "Ascend910B3", 0)
    backend = make_backend(target)
    options = backend.parse_options({"compile_on_910_95": True} if task["model"].startswith("Ascend950") else {})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    kernel = kernel_of(task["source"], task["entry"])
    free = [name for name in kernel.arg_names if name not in task["constants"]]
    source = ASTSource(fn=kernel, signature=dict(zip(free, task["signature"])), constants=task["constants"])
    module = source.make_ir(options, backend.get_codegen_implementation(), backend.get_module_map(), context)
    stages, metadata = {}, {"target": target, "hash": "peer", **options.__dict__}
    backend.add_stages(stages, options)
    return str(stages["ttadapter"](stages["ttir"](module, metadata), metadata))


def plan(task, text):
    later = task["model"].startswith("Ascend950")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("hivmc", "hivmc-a5"):
            pathlib.Path(folder, name).write_text(BACK_END)
            pathlib.Path(folder, name).chmod(0o755)
        pathlib.Path(folder, "k.ttadapter.mlir").write_text(text)
        words = [str(PROGRAMS / ("bishengir-compile-a5" if later else "bishengir-compile")), "k.ttadapter.mlir", f"--target={task['model']}",
                 f"--enable-auto-multi-buffer={str(task['multibuffer']).lower()}", "--enable-auto-bind-sub-block=true", "--enable-hfusion-compile=true",
                 "--enable-triton-kernel-compile=true", "--enable-hivm-compile=true", "-o", "k.o"]
        environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"], "KEPT": os.path.join(folder, "planned.mlir")}
        run = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return "fits"
    over = re.findall(r"(ub|cbuf|cc) overflow, requires", run.stdout + run.stderr)
    return {"ub": "ub", "cbuf": "l1", "cc": "l0c"}[over[-1]] if over else "failed"


def answer(task):
    for _ in range(3):
        try:
            text = lower(task)
        except subprocess.CalledProcessError:  # a crash by chance
            if task.get("lower"):
                return "crashed"
            continue
        return "lowered" if task.get("lower") else plan(task, text)
    return "failed"


def main():
    for task in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        print(json.dumps(answer(task)), flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps(used.ru_utime + used.ru_stime))


if __name__ == "__main__":
    main()
