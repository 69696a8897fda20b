"""Asks Triton or FlagGems themselves, in a Python that has them and no GPU: reader_serves.py LIBRARY. The first line that it prints is Triton's version. Each line of the
standard input is a question in JSON, with its folder; the answer is a line of it, as in reader_libraries.py.

The library's own autotuner is run, as a launch would; the kernel below it keeps what it is launched with, and a benchmark ends the launch.
"""
import importlib
import json
import os
import sys
import types

import triton

TORCH = {"f16": "torch.float16", "bf16": "torch.bfloat16", "f32": "torch.float32"}


class Benched(Exception):
    pass


def bench(*_, **__):
    raise Benched()


def find(kernel):
    module, name = kernel.split(":")
    tuner = getattr(importlib.import_module(module), name)
    while not hasattr(tuner, "prune_configs"):
        tuner = tuner.fn
    return tuner


def launch(tuner, arguments):
    """The configuration of the kernel's launch."""
    seen = {}
    tuner.fn.run = lambda *_, **given: seen.update(given)
    tuner._bench = bench
    try:
        tuner.run(*arguments)
    except Benched:
        return {"own": None}
    except Exception as e:
        return {"refused": f"{type(e).__name__}: {e}"}
    names = {name for config in tuner.configs for name in config.all_kwargs()}
    return {"config": {name: value for name, value in seen.items() if name in names or name == "maxnreg"}}


def arguments_of(tuner, question):
    given = {**{name: types.SimpleNamespace(dtype=TORCH[t]) for name, t in question["types"].items()}, **question["sizes"]}
    return [given.get(name, 1) for name in tuner.arg_names if name not in tuner.configs[0].kwargs]


def ask_triton(question):
    from triton.backends.compiler import GPUTarget

    os.environ["TRITON_CACHE_DIR"] = question["folder"]
    triton.runtime.driver.set_active(types.SimpleNamespace(get_current_target=lambda: GPUTarget("cuda", int(question["arch"][3:]), 32)))
    tuner = find(question["kernel"])
    tuner.cache = {}  # of the process: it has one folder
    return launch(tuner, arguments_of(tuner, question))


def ask_flaggems(question):
    import torch
    from flag_gems.utils import code_cache

    libentry = importlib.import_module("flag_gems.utils.libentry")  # a function of that name is beside it
    os.environ["FLAGGEMS_CACHE_DIR"] = question["folder"]
    code_cache.cache_dir_path.cache_clear()
    torch.cuda.get_device_name = lambda *_: question["device"]
    libentry.libcache.__init__()
    tuner = find(question["kernel"])
    tuner.cache = libentry.libcache[tuner.config_table_name]
    tuner.policy = bench
    return launch(tuner, arguments_of(tuner, question))


ask = {"triton": ask_triton, "flaggems": ask_flaggems}[sys.argv[1]]
print(triton.__version__, flush=True)
for line in sys.stdin:
    print(json.dumps(ask(json.loads(line))), flush=True)
