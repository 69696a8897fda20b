"""The libraries' own look-ups, each over its package's files, which nobody has to install.

vLLM and SGLang import torch and compiled operators, FLA imports torch and Triton. A look-up needs none of it: it joins a file's name from the device's name and sizes, reads the
file and takes a row. So the functions that do this are cut out of the package's files as text, by their names (`FUNCTIONS`), and are run unchanged, decorators and all. What they
name from elsewhere gets a stand-in that has no part in the choice: the device's name, a logger, tensors that have shapes alone, a kernel that keeps what it is launched with.

`answer(question, folder)` asks for what the library takes where `folder` has what asctune exported: {"config": {...}}, {"own": {...} or None} for its default (None: it tunes),
or {"refused": reason} where it raises.
"""
import __future__

import ast
import dataclasses
import enum
import functools
import importlib.abc
import importlib.machinery
import json
import os
import re
import shutil
import subprocess
import sys
import types
import typing
from pathlib import Path


class Gone(Exception):
    """A file or function that the package no longer has, or that no longer runs alone."""


class Missing(Exception):
    """A program that a library's look-up needs."""


class Log:
    """A logger that keeps the last thing that it was told."""
    said = ""

    def keep(self, text, *words, **_):
        self.said = str(text) % words if words else str(text)

    debug = info = warning = info_once = warning_once = keep


class Tensor:
    """Shape, strides and type of a dense tensor."""

    def __init__(self, shape, dtype=None):
        self.shape, self.dtype, self.ndim, self.device = tuple(shape), dtype, len(shape), None

    def numel(self):
        return functools.reduce(int.__mul__, self.shape, 1)

    def stride(self, dim):
        return functools.reduce(int.__mul__, self.shape[dim % self.ndim + 1:], 1)

    def is_contiguous(self):
        return True

    def new_empty(self, shape, dtype=None):
        return Tensor(shape, dtype)


class Kernel:
    """A kernel that keeps the keywords of its last launch: a configuration."""

    def __getitem__(self, grid):
        def launch(*_, **keywords):
            self.config = keywords
        return launch


def ceiling(a, b):
    return -(-a // b)


def names_of(node):
    """Names that a statement at a file's outermost level defines; a function's forms for a type checker define none."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return set() if any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list) else {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {t.id for t in targets if isinstance(t, ast.Name)}


@functools.cache
def statements(file):
    """The text of each statement at a file's outermost level by the names that it defines, the first of a name."""
    source, found = file.read_text(), {}
    lines = source.split("\n")
    try:
        outermost = ast.parse(source).body
    except SyntaxError as e:
        raise Gone(f"{file.name} is not for Python {sys.version_info.major}.{sys.version_info.minor}: {e}") from e
    for node in outermost:
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
        for name in names_of(node):
            found.setdefault(name, "\n".join(lines[first - 1:node.end_lineno]))
    return found


def texts(package, functions, files=()):
    """What is cut out: {(FILE, NAME): TEXT}; a file as a whole has the name ""."""
    found = {}
    for path in files:
        if not Path(package, path).exists():
            raise Gone(f"{path} is gone")
        found[path, ""] = Path(package, path).read_text()
    for path, names in functions.items():
        file = Path(package, path)
        if not file.exists():
            raise Gone(f"{path} is gone")
        there = statements(file)
        lost = [n for n in names if n not in there]
        if lost:
            raise Gone(f"{path} has no {', '.join(lost)}")
        found.update({(path, n): text for n, text in there.items() if n in names})
    return found


def cut(package, functions, file, **others):
    """Runs the functions' text; gives their names. `file` is where the package is to lie, `others` what they name from elsewhere."""
    module = types.ModuleType(f"cut_{len(sys.modules)}")
    sys.modules[module.__name__] = module  # dataclasses look there
    module.__dict__.update(__file__=str(file), dataclasses=dataclasses, enum=enum, functools=functools, json=json, os=os, re=re, Path=Path, cache=functools.cache,
                           lru_cache=functools.lru_cache, **{n: getattr(typing, n) for n in ("Any", "Dict", "List", "Optional", "Tuple")})
    module.__dict__.update(others)
    for (path, name), text in texts(package, functions).items():
        try:
            exec(compile(text, path, "exec", __future__.annotations.compiler_flag), module.__dict__)
        except Exception as e:
            raise Gone(f"{path}: {name} does not run alone: {type(e).__name__}: {e}") from e
    return module


def stand_in(path, **members):
    """A module for imports within functions, and those above it."""
    for i, _ in enumerate(parts := path.split(".")):
        sys.modules.setdefault(".".join(parts[:i + 1]), types.ModuleType(".".join(parts[:i + 1]))).__path__ = []
    sys.modules[path].__dict__.update(members)


class Library:
    FILES = ()  # that are taken as they are, beside functions of others
    OWN_FOLDERS = ()  # of the package, with tables
    IN_PYTHON = False  # it is not cut out, but imported by $ASCTUNE_PYTHON, from path()
    log = None

    @staticmethod
    def path(package):
        """Where that looks for modules."""
        return [package]

    @classmethod
    def texts_with_logs(cls, package):
        """Files that have what the library logs."""
        return [Path(package, path) for path in cls.FUNCTIONS]

    def modules(self, site):
        """Modules that hold the look-up, by their files; the package lies in `site`."""
        return {}


class Server(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports what is cut out of a package in the place of its modules, and nothing of what these and the packages around them import."""

    def __init__(self, library, site):
        self.library, self.site, self.made = library, site, None
        self.names = {str(Path(path).with_suffix("")).replace("/", "."): path for path in library.FUNCTIONS if path.endswith(".py")}

    def find_spec(self, name, path=None, target=None):
        if not any(one == name or one.startswith(f"{name}.") for one in self.names):
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=str(Path(self.site, self.names.get(name) or f"{name.replace('.', '/')}/__init__.py")))
        spec.has_location = True
        if name not in self.names:
            spec.submodule_search_locations = [str(Path(spec.origin).parent)]
        return spec

    def exec_module(self, module):
        if module.__name__ in self.names:
            self.made = self.made or self.library.modules(Path(self.site))
            module.__dict__.update({k: v for k, v in vars(self.made[self.names[module.__name__]]).items() if not k.startswith("__")})


def serve(name, package, site, device, triton):
    """Has this process import the library's look-up, as if it were installed in `site`, on a device; what it logs goes to standard error."""
    library = LIBRARIES[name](package)
    library.question = types.SimpleNamespace(device=device, triton=triton, shared_bytes=232448)
    library.log.keep = lambda text, *words, **_: print(str(text) % words if words else text, file=sys.stderr)
    for level in ("debug", "info", "warning", "info_once", "warning_once"):
        setattr(library.log, level, library.log.keep)
    sys.meta_path.insert(0, Server(library, site))


class RowLibrary(Library):
    """vLLM and SGLang: a launch or a function gives the configuration of a size."""
    # What their layers call a type of elements; there is no word for the common ones.
    words = {"bf16": None, "f16": None, "f32": "float32", "f8e4m3": "fp8_w8a8"}

    def __init__(self, package):
        self.package, self.log, self.question, self.cut, self.process = package, Log(), None, {}, None

    def _place(self, folder):
        """The functions as they are in a package whose own folder "configs" has what was exported."""
        if folder not in self.cut:
            place = Path(f"{folder}.package")
            place.mkdir()
            (place / "configs").symlink_to(folder)
            self.cut[folder] = self._cut(place)
        return self.cut[folder]

    def forget(self):
        """A process reads a file once, and has one device and one Triton: from now on another process."""
        for parts in self.cut.values():
            for part in parts:
                for value in vars(part).values():
                    if hasattr(value, "cache_clear"):
                        value.cache_clear()

    def answer(self, question, folder):
        self.question, self.log.said = question, ""
        moe, fp8 = self._place(folder)
        if self.process != (question.device, question.triton, folder):
            self.forget()
        self.process = question.device, question.triton, folder
        try:
            if question.reader.endswith(":moe"):
                asked = []
                moe.get_default_config, default = (lambda *a, **k: asked.append(1) or default(*a, **k)), moe.get_default_config
                try:
                    config = self._moe(moe, question, folder)
                finally:
                    moe.get_default_config = default
                own = bool(asked)
            else:
                fp8.kernel.config = None
                self._fp8(fp8, question)
                config = {k: v for k, v in fp8.kernel.config.items() if k != "needs_masking"}
                own = fp8.get_w8a8_block_fp8_configs(question.sizes["N"], question.sizes["K"], question.sizes["block_n"], question.sizes["block_k"]) is None
        except Exception as e:
            return {"refused": f"{type(e).__name__}: {e}"}
        # Triton's own warps and stages, where a default has none; a part of K that one block does is no choice.
        return {"own": {"num_warps": 4, "num_stages": 3, **{k: v for k, v in config.items() if k != "SPLIT_K"}}} if own else {"config": dict(config)}

    def _shapes(self, q):
        e, n, k = q.sizes["E"], q.sizes["N"], q.sizes.get("K", 4096)
        return (e, 2 * n, k), (e, k, n), 2, self.words[q.types["dtype"]], q.sizes["M"]

    def _tensors(self, q, scales):
        m, n, k, bn, bk = (q.sizes[s] for s in ("M", "N", "K", "block_n", "block_k"))
        return Tensor((m, k)), Tensor((n, k)), Tensor((m, ceiling(k, bk)), scales), Tensor((ceiling(n, bn), ceiling(k, bk)), scales), [bn, bk]


class Vllm(RowLibrary):
    readers = ("vllm:moe", "vllm:block-fp8")
    MOE = "vllm/model_executor/layers/fused_moe/fused_moe.py"
    FP8 = "vllm/model_executor/layers/quantization/utils/fp8_utils.py"
    PLATFORM = "vllm/utils/platform_utils.py"
    FUNCTIONS = {MOE: ("get_config_file_name", "get_moe_configs", "get_default_config", "try_get_optimal_moe_config"),
                 FP8: ("get_w8a8_block_fp8_configs", "w8a8_triton_block_scaled_mm"), PLATFORM: ("get_device_name_as_file_name",)}
    OWN_FOLDERS = (f"{Path(FP8).parent}/configs", f"{Path(MOE).parent}/configs")

    def modules(self, site):
        moe, fp8 = self._cut((site / self.FP8).parent)
        moe.envs.VLLM_TUNED_CONFIG_FOLDER = os.environ.get("VLLM_TUNED_CONFIG_FOLDER")
        return {self.MOE: moe, self.FP8: fp8, self.PLATFORM: self.platform}

    def _cut(self, place):
        stand_in("vllm.platforms", current_platform=types.SimpleNamespace(get_device_name=lambda _: self.question.device))
        stand_in("vllm.model_executor.layers.fused_moe", get_config=lambda: None)
        self.platform = cut(self.package, {self.PLATFORM: self.FUNCTIONS[self.PLATFORM]}, place / "platform_utils.py")
        name = self.platform.get_device_name_as_file_name
        envs = types.SimpleNamespace(VLLM_BATCH_INVARIANT=False, VLLM_TUNED_CONFIG_FOLDER=None)
        shared = {"logger": self.log, "envs": envs, "get_device_name_as_file_name": name, "current_platform": types.SimpleNamespace(is_rocm=lambda: False)}
        kernel = Kernel()
        # Its package has no files of MoE layers, so that what is found is ours.
        moe = cut(self.package, {self.MOE: self.FUNCTIONS[self.MOE]}, place / "none" / "fused_moe.py", **shared)
        fp8 = cut(self.package, {self.FP8: self.FUNCTIONS[self.FP8]}, place / "fp8_utils.py", kernel=kernel, _w8a8_triton_block_scaled_mm=kernel,
                  torch=types.SimpleNamespace(float8_e8m0fnu="e8m0", float16="float16"), triton=types.SimpleNamespace(cdiv=ceiling), **shared)
        return moe, fp8

    def _moe(self, moe, q, folder):
        moe.envs.VLLM_TUNED_CONFIG_FOLDER = folder
        block = [q.sizes["block_n"], q.sizes["block_k"]] if "block_n" in q.sizes else None
        return moe.try_get_optimal_moe_config(*self._shapes(q), block)

    def _fp8(self, fp8, q):
        fp8.w8a8_triton_block_scaled_mm(*self._tensors(q, "float32"))


class Sglang(RowLibrary):
    readers = ("sglang:moe", "sglang:block-fp8")
    MOE = "sglang/srt/layers/moe/moe_runner/triton_utils/fused_moe_triton_config.py"
    FP8 = "sglang/kernels/ops/gemm/fp8_kernel.py"
    FUNCTIONS = {MOE: ("_LOW_SMEM_FP8_DEFAULT_CUTOFF_BYTES", "_get_cuda_shared_memory_per_block_optin", "_use_low_smem_fp8_default", "get_config_file_name", "get_moe_configs",
                       "get_default_config", "try_get_optimal_moe_config"),
                 FP8: ("get_w8a8_block_fp8_configs", "prepare_block_fp8_matmul_inputs", "select_w8a8_block_fp8_matmul_kernel", "w8a8_block_fp8_matmul_triton")}
    OWN_FOLDERS = (f"{Path(FP8).parent}/configs",)

    def modules(self, site):
        moe, fp8 = self._cut((site / self.FP8).parent)
        moe.triton.__version__ = self.question.triton
        return {self.MOE: moe, self.FP8: fp8}

    def _cut(self, place):
        stand_in("sglang.srt.layers.moe.moe_runner.triton_utils", get_config=lambda: None)
        off = types.SimpleNamespace(deterministic=types.SimpleNamespace(enable_deterministic_inference=False))
        triton = types.SimpleNamespace(cdiv=ceiling)
        cuda = types.SimpleNamespace(is_available=lambda: True, current_device=lambda: 0,
                                     get_device_properties=lambda _: types.SimpleNamespace(shared_memory_per_block_optin=self.question.shared_bytes))
        torch = types.SimpleNamespace(cuda=cuda, float="float32", int="int32", float16="float16", _dynamo=types.SimpleNamespace(is_compiling=lambda: False))
        kernel = Kernel()
        shared = {"logger": self.log, "torch": torch, "triton": triton, "_is_hip": False, "get_device_name": lambda: self.question.device}
        moe = cut(self.package, {self.MOE: self.FUNCTIONS[self.MOE]}, place / "none" / "moe.py", get_exec=lambda: off, **shared)
        fp8 = cut(self.package, {self.FP8: self.FUNCTIONS[self.FP8]}, place / "fp8_kernel.py", _is_cuda=True, _is_gfx1250=False, kernel=kernel, _w8a8_block_fp8_matmul=kernel,
                  _w8a8_block_fp8_matmul_hopper=None, get_platform=lambda: types.SimpleNamespace(is_sm90=True), log_info_on_rank0=lambda log, text: log.info(text), **shared)
        return moe, fp8

    def _moe(self, moe, q, folder):
        os.environ["SGLANG_MOE_CONFIG_DIR"] = str(folder)
        moe.triton.__version__ = q.triton
        block = [q.sizes["block_n"], q.sizes["block_k"]] if "block_n" in q.sizes else None
        return moe.try_get_optimal_moe_config(*self._shapes(q), block_shape=block)

    def _fp8(self, fp8, q):
        fp8.w8a8_block_fp8_matmul_triton(*self._tensors(q, "float32"))


class Fla(Library):
    readers = ("fla",)
    CACHE = "fla/ops/utils/cache.py"
    FUNCTIONS = {CACHE: ("FlaCacheMode", "FLA_CACHE_MODE", "sanitize_gpu_name", "get_gpu_info", "get_fla_config_dir", "AutotuneKey", "KernelConfigFile", "load_config_file",
                         "read_config_file", "load_cached_config")}
    torch_names = {"bf16": "torch.bfloat16", "f16": "torch.float16", "f32": "torch.float32"}

    def __init__(self, package):
        self.log, self.package, self.parts = Log(), package, None
        os.environ.setdefault("FLA_CACHE_MODE", "full")
        self.forget()

    def modules(self, site):
        return {self.CACHE: self.parts}

    def forget(self):
        cuda = types.SimpleNamespace(is_available=lambda: True, get_device_name=lambda _: self.question.device)
        self.parts = cut(self.package, self.FUNCTIONS, "/nonexistent", logger=self.log, torch=types.SimpleNamespace(cuda=cuda))

    def answer(self, question, folder):
        self.question, self.log.said = question, ""
        self.parts.get_gpu_info.cache_clear()
        os.environ["FLA_CONFIG_DIR"] = str(Path(folder) / self.parts.get_gpu_info())
        # A launch: tensors and sizes by the names of the kernel's arguments.
        tensors = {name: Tensor((1,), self.torch_names[t]) for name, t in question.types.items()}
        key = self.parts.AutotuneKey.build([*tensors, *question.sizes], list(question.sizes), tuple(tensors.values()), question.sizes)
        try:
            config = self.parts.load_cached_config(question.kernel, key)
        except Exception as e:
            return {"refused": f"{type(e).__name__}: {e}"}
        if config is None:  # it warns of a file that it cannot read, and tunes
            return {"refused": self.log.said} if self.log.said else {"own": None}
        # One CTA is what a configuration without a number has.
        return {"config": {**config["kwargs"], **{k: v for k, v in config.items() if k != "kwargs" and v is not None and (k, v) != ("num_ctas", 1)}}}


class Ninetoothed(Library):
    """Two readers of a file: build.py, of exact rows, in the first build, and the C++ beside the built kernel, which has values for the rest."""
    readers = ("ninetoothed",)
    FUNCTIONS = {"ninetoothed/build.py": ("_read_auto_tuning_cache", "_arg_to_int"), "ninetoothed/aot.py": ("_MACRO_MAPPING", "_DTYPE_MAPPING", "_DTYPE_TO_INDEX")}
    HEADER = "ninetoothed/templates/auto_tuning_cache.h"
    FILES = (HEADER, "ninetoothed/dtype.py")
    type_names = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", **{f"{s[0]}{n}": f"{s}{n}" for s in ("int", "uint") for n in (8, 16, 32, 64)}}

    def __init__(self, package):
        import csv
        import pathlib
        import tempfile

        texts(package, {}, self.FILES)
        if not shutil.which("c++"):
            raise Missing("its look-up is C++, and there is no c++")
        self.log = Log()
        self.types = cut(package, {"ninetoothed/dtype.py": self.type_names.values()}, "/nonexistent")
        self.parts = cut(package, {"ninetoothed/aot.py": self.FUNCTIONS["ninetoothed/aot.py"], "ninetoothed/build.py": self.FUNCTIONS["ninetoothed/build.py"]}, "/nonexistent",
                         csv=csv, pathlib=pathlib, ninetoothed=types.SimpleNamespace(dtype=self.types))
        self.running = {}
        self.gpu_folder = re.compile("[^0-9A-Za-z]+")
        self.made = tempfile.TemporaryDirectory()
        self.program = Path(self.made.name, "lookup")
        Path(self.made.name, "lookup.cc").write_text("""#include "auto_tuning_cache.h"
#include <iostream>
int main(int, char **argv)
{
	ninetoothed::AutoTuningCache cache{argv[1]};
	for (std::string line; std::getline(std::cin, line);) {
		std::vector<int> asked;
		std::istringstream words{line};
		for (int v; words >> v;)
			asked.push_back(v);
		for (int v : cache.lookup(asked))
			std::cout << v << ' ';
		std::cout << std::endl;
	}
}
""")
        made = subprocess.run(["c++", "-std=c++17", f"-I{Path(package, self.HEADER).parent}", Path(self.made.name, "lookup.cc"), "-o", self.program], capture_output=True, text=True)
        if made.returncode:
            raise Gone(f"{self.HEADER} does not compile: {next(iter(made.stderr.splitlines()), '')}")

    def modules(self, site):
        return {"ninetoothed/aot.py": self.parts, "ninetoothed/build.py": self.parts}

    def forget(self):
        for process in self.running.values():
            process.communicate()
        self.running = {}

    def _lookup(self, file, asked):
        """What the C++ finds; a process for each file, as a built kernel has one table."""
        if file not in self.running:
            self.running[file] = subprocess.Popen([self.program, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process = self.running[file]
        process.stdin.write(" ".join(map(str, asked)) + "\n")
        process.stdin.flush()
        return tuple(map(int, process.stdout.readline().split()))

    def answer(self, question, folder):
        # output_dir of the build: the export has one for each GPU.
        file = Path(folder) / self.gpu_folder.sub("_", question.device).strip("_") / f"{question.kernel}.csv"
        asked = tuple(map(self.parts._arg_to_int, [*question.sizes.values(), *(getattr(self.types, self.type_names[t]) for t in question.types.values())]))
        try:
            rows = self.parts._read_auto_tuning_cache(file)
            if rows is None:
                return {"own": None}
            values = self._lookup(file, asked)
        except Exception as e:
            return {"refused": f"{type(e).__name__}: {e}"}
        if rows.get(asked, values) != values:
            return {"refused": f"build.py finds {rows[asked]}, the C++ {values}"}
        return {"config": {str(i): v for i, v in enumerate(values)}} if values else {"refused": "no values"}


class Served(Library):
    """A library that is asked itself, in a process of $ASCTUNE_PYTHON: what it asks for is a digest of its own code."""
    FUNCTIONS = {}
    IN_PYTHON = True

    def __init__(self, package):
        self.log, self.process = Log(), None
        os.environ["PYTHONPATH"] = os.pathsep.join(map(str, self.path(package)))
        os.environ["TRITON_CACHE_AUTOTUNING"] = "1"
        self.forget()

    def forget(self, **environment):
        if self.process:
            self.process.communicate()
        self.process = subprocess.Popen([os.environ.get("ASCTUNE_PYTHON", "python3"), "-B", Path(__file__).with_name("reader_serves.py"), *self.readers], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
        self.triton = self.process.stdout.readline().strip()
        if not self.triton:
            raise Missing(self.process.communicate()[1].strip().rpartition("\n")[2])

    def answer(self, question, folder):
        self.process.stdin.write(json.dumps({**dataclasses.asdict(question), "folder": str(folder)}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.communicate()[1])
        return json.loads(line)


class Triton(Served):
    readers = ("triton",)

    @staticmethod
    def path(package):
        return [Path(__file__).resolve().with_name("asked")]

    @classmethod
    def texts_with_logs(cls, package):
        place = "import importlib.util as u; print(u.find_spec('triton').submodule_search_locations[0])"
        done = subprocess.run([os.environ.get("ASCTUNE_PYTHON") or "python3", "-c", place], stdout=subprocess.PIPE, text=True, check=True)
        return [Path(done.stdout.strip(), "runtime", "autotuner.py")]


class Flaggems(Served):
    readers = ("flaggems",)

    @staticmethod
    def path(package):
        return [Path(__file__).resolve().with_name("alone"), package]

    @classmethod
    def texts_with_logs(cls, package):
        return [Path(package, "flag_gems/utils/libentry.py")]
    FUNCTIONS = {"flag_gems/utils/libentry.py": ("LibCache", "LibTuner", "align32_strategy"), "flag_gems/utils/models/sql.py": ("SQLPersistantModel",)}


LIBRARIES = {"vllm": Vllm, "sglang": Sglang, "fla": Fla, "ninetoothed": Ninetoothed, "triton": Triton, "flaggems": Flaggems}
