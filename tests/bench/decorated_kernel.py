"""The kernel of tests/bench/decorated, in the three ways to call it; a kernel's text has to be in a file that is imported."""
import json
import os

import stub_driver
import triton
import triton.language as tl

import asctune

CONFIGS = [triton.Config({"B": 256}, num_warps=4), triton.Config({"B": 512}, num_warps=8)]
KEY = ["n", "m", "k"]


@triton.jit
def kernel(x, y, out, n, m, k, stride, scale, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


def make(folder):
    table = os.path.join(folder, "rules.json")
    rule = {"op": "decorated_kernel:kernel", "device": "cuda", "device_name": "*", "dtype": "float32", "match": {"n": 4096}, "implementation_index": -1,
            "config": {"B": 512, "num_warps": 8}}
    with open(table, "w") as file:
        json.dump({"format": "asctune-infiniops-rules", "version": 1, "rules": [rule]}, file)
    arguments = [stub_driver.Tensor((4096,)) for _ in range(3)] + [4096, 1024, 512, 1, 2.0]
    named = dict(zip(kernel.arg_names, arguments))
    decorated = asctune.autotune(CONFIGS, KEY, table=table)(kernel)
    tuned = triton.autotune(CONFIGS, KEY)(kernel)
    keywords = CONFIGS[1].all_kwargs()
    decorated[16,](*arguments)
    assert decorated.asctune_last.found == "exact" and decorated.best_config == CONFIGS[1], decorated.asctune_last
    return {
        "arguments by position": {"plain": lambda: kernel[16,](*arguments, **keywords), "decorated": lambda: decorated[16,](*arguments),
                                  "triton": lambda: tuned[16,](*arguments)},
        "arguments by keyword": {"plain": lambda: kernel[16,](**named, **keywords), "decorated": lambda: decorated[16,](**named),
                                 "triton": lambda: tuned[16,](**named)}}
