"""A kernel in Triton, tuned against PyTorch; then given its answer by a decorator and by `apply`."""
import torch
import triton
import triton.language as tl
from triton.runtime.autotuner import Autotuner

import asctune

N = 1 << 20
CONFIGS = [triton.Config({"B": block}, num_warps=warps) for block in (256, 1024, 4096) for warps in (2, 4, 8)]


@triton.jit
def silu(x, out, n, by, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, mask=i < n).to(tl.float32)
    tl.store(out + i, a * tl.sigmoid(a) * by, mask=i < n)


def check(passed, name):
    print("ok" if passed else "not ok", "-", name)


def grid(meta):
    return (triton.cdiv(N, meta["B"]),)


measured = []
bench = Autotuner._bench
Autotuner._bench = lambda self, *args, **kwargs: measured.append(self) or bench(self, *args, **kwargs)
x = torch.randn(N, device="cuda", dtype=torch.bfloat16)
out, small = torch.empty_like(x), torch.randn(4096, device="cuda", dtype=torch.bfloat16)
wanted = torch.nn.functional.silu(x.double()) * 3
tuned = asctune.tune(silu, x, out, N, 3, grid=grid, configs=CONFIGS, reference=lambda x, out, n, by: torch.nn.functional.silu(x) * by, budget="all",
                     problems=[(small, torch.empty_like(small), 4096, 3)])
row = tuned.rows[0]
check(len(tuned.rows) == 2 and 0 < row["ok_trials"] <= len(CONFIGS) and row["verified_by"] == "float64",
      f"configurations agree with PyTorch, those that were not raced out: {row['ok_trials']}")
check(not measured and tuned.best.kwargs["B"] in (256, 1024, 4096), f"{tuned}")

given = asctune.autotune(CONFIGS, key=["n", "by"], table=tuned.table)(silu)
out.zero_()
given[grid](x, out, N, 3)
chosen = {(r["problem_values"]["dims"]["n"]): r["config"] for r in tuned.rows}
took = given.best_config.all_kwargs()
check(given.asctune_last.found == "exact" and all(took[name] == value for name, value in chosen[N].items()), f"the decorator takes it: {given.asctune_last}")
check(torch.allclose(out.double(), wanted, rtol=2**-7, atol=2**-7), "and computes the same")
given[grid](x, out, N // 2, 3)
check(given.asctune_last.found == "nearest", f"half of it: {given.asctune_last}")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    given[grid](x, out, N, 3)
out.zero_()
graph.replay()
check(torch.allclose(out.double(), wanted, rtol=2**-7, atol=2**-7), "a captured graph, too")

library = triton.autotune(CONFIGS, key=["n", "by"])(silu)
asctune.apply(tuned.table, "__main__:*")
out.zero_()
library[grid](x, out, N, 3)
check(library.asctune_last.found == "exact" and not measured, f"an autotuner measures nothing: {library.asctune_last}")
check(torch.allclose(out.double(), wanted, rtol=2**-7, atol=2**-7), "and computes the same")
library[grid](x.half(), torch.empty_like(x, dtype=torch.float16), N, 3)
check(library.asctune_last.config is None and len(measured) == len(CONFIGS), "but where the table has nothing, it does")
