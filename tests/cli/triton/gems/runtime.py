import multiprocessing
import pathlib

import triton

(pathlib.Path.home() / ".gems").mkdir()  # libraries do so as they are imported
LOCK = multiprocessing.Lock()

LISTS = {"mm": [(64, 64, 32, 4, 3), (128, 64, 32, 4, 4), (128, 128, 64, 8, 3)]}


def get_tuned_config(name):
    return [triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, num_warps=w, num_stages=s) for m, n, k, w, s in LISTS[name]]


def get_heuristic_config(name):
    return {"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0}


def libentry():
    return lambda fn: fn


def libtuner(configs, key, strategy=None):
    print("a tuner for", key)
    return triton.autotune(configs, key)


class CachedAutotuner(triton.Autotuner):
    """An autotuner of the library's own."""


def tuned(name, **others):
    return lambda fn: CachedAutotuner(fn, get_tuned_config(name), ["M"])
