"""The program of tests/bench/capture: functions of fla-core, FlagGems and Liger, called as users call them, forward and backward.

    capture_libraries.py [--all] [--only GLOB,...] [--part K/N] [--steps N] [--bits FILE] [--times FILE] [--draw SEED]

Each function is called --steps times (12) on inputs drawn from --draw (0). What fails is named on standard error, and the exit status is 1 if more than a
tenth does. --part takes each N-th function, from the K-th on, for a machine of several GPUs. --bits writes a digest of each function's outputs and gradients.
--times writes, by function and kernel, the durations that CUPTI gives of ten further steps, in microseconds. The last line is JSON: how many functions ran,
what failed, seconds of the first steps, how many configurations autotuners measured, and seconds of each function's fastest step. --all adds the functions whose autotuners take minutes each.
"""
from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import sys
import time
from typing import Callable

import torch
import triton
import torch.nn.functional as F

DEVICE = "cuda"
FUNCTIONS: dict[str, Callable[[torch.Generator], object]] = {}


SLOW: set[str] = set()  # functions whose autotuners take minutes: left to --all


def function(made: Callable) -> Callable:
    FUNCTIONS[made.__name__] = made
    return made


def slow(made: Callable) -> Callable:
    SLOW.add(made.__name__)
    return function(made)


class Inputs:
    """Random tensors of one generator; `grad` are those with a gradient."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator, self.grad = generator, []

    def real(self, *shape: int, dtype: torch.dtype = torch.bfloat16, grad: bool = True, scale: float = 1.0) -> torch.Tensor:
        made = (torch.randn(*shape, generator=self.generator, device=DEVICE) * scale).to(dtype)
        if grad:
            self.grad.append(made.requires_grad_())
        return made

    def gate(self, *shape: int, dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
        """Logarithms of decays, below 0."""
        made = F.logsigmoid(torch.randn(*shape, generator=self.generator, device=DEVICE) + 2).to(dtype)
        self.grad.append(made.requires_grad_())
        return made

    def share(self, *shape: int, dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
        made = torch.rand(*shape, generator=self.generator, device=DEVICE).sigmoid().to(dtype)
        self.grad.append(made.requires_grad_())
        return made

    def unit(self, *shape: int, dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
        made = F.normalize(torch.randn(*shape, generator=self.generator, device=DEVICE), dim=-1).to(dtype)
        self.grad.append(made.requires_grad_())
        return made

    def whole(self, high: int, *shape: int) -> torch.Tensor:
        return torch.randint(0, high, shape, generator=self.generator, device=DEVICE)


B, T, H, K, V = 2, 2048, 8, 64, 64  # batch, tokens, heads, sizes of a head
D, WORDS = 2048, 32000  # of a model


def heads(x: Inputs, n: int = 3) -> list[torch.Tensor]:
    return [x.real(B, T, H, K) for _ in range(n)]


# ---- fla-core: sequence mixers ----


@slow
def fla_chunk_gla(x):
    from fla.ops.gla import chunk_gla
    return chunk_gla(*heads(x), x.gate(B, T, H, K))[0]


@function
def fla_fused_recurrent_gla(x):
    from fla.ops.gla import fused_recurrent_gla
    return fused_recurrent_gla(*heads(x), x.gate(B, T, H, K))[0]


@slow
def fla_chunk_retention(x):
    from fla.ops.retention import chunk_retention
    return chunk_retention(*heads(x))[0]


@function
def fla_parallel_retention(x):
    from fla.ops.retention import parallel_retention
    return parallel_retention(*heads(x))[0]


@slow
def fla_chunk_simple_gla(x):
    from fla.ops.simple_gla import chunk_simple_gla
    return chunk_simple_gla(*heads(x), x.gate(B, T, H, dtype=torch.float32))[0]


@slow
def fla_chunk_delta_rule(x):
    from fla.ops.delta_rule import chunk_delta_rule
    return chunk_delta_rule(x.real(B, T, H, K), x.unit(B, T, H, K), x.real(B, T, H, V), x.share(B, T, H))[0]


@function
def fla_fused_recurrent_delta_rule(x):
    from fla.ops.delta_rule import fused_recurrent_delta_rule
    return fused_recurrent_delta_rule(x.real(B, T, H, K), x.unit(B, T, H, K), x.real(B, T, H, V), x.share(B, T, H))[0]


@slow
def fla_chunk_kda(x):
    from fla.ops.kda import chunk_kda
    return chunk_kda(x.real(B, T, H, 128), x.unit(B, T, H, 128), x.real(B, T, H, 128), x.gate(B, T, H, 128, dtype=torch.float32), x.share(B, T, H))[0]


@slow
def fla_chunk_gsa(x):
    from fla.ops.gsa import chunk_gsa
    return chunk_gsa(*heads(x), x.real(B, T, H, 64), x.gate(B, T, H, 64))[0]


@function
def fla_chunk_hgrn(x):
    from fla.ops.hgrn import chunk_hgrn
    return chunk_hgrn(x.real(B, T, D), x.gate(B, T, D))[0]


@function
def fla_fused_recurrent_hgrn(x):
    from fla.ops.hgrn import fused_recurrent_hgrn
    return fused_recurrent_hgrn(x.real(B, T, D), x.gate(B, T, D))[0]


@slow
def fla_chunk_rwkv6(x):
    from fla.ops.rwkv6 import chunk_rwkv6
    return chunk_rwkv6(*heads(x), x.gate(B, T, H, K), x.real(H, K))[0]


@slow
def fla_chunk_rwkv7(x):
    from fla.ops.rwkv7 import chunk_rwkv7
    kk = x.unit(B, T, H, K)
    return chunk_rwkv7(x.real(B, T, H, K), -x.share(B, T, H, K) * 0.6, x.real(B, T, H, K), x.real(B, T, H, V), -kk, kk * x.share(B, T, H, K))[0]


@function
def fla_parallel_attn(x):
    from fla.ops.attn import parallel_attn
    return parallel_attn(*heads(x))


@function
def fla_parallel_forgetting_attn(x):
    from fla.ops.forgetting_attn import parallel_forgetting_attn
    return parallel_forgetting_attn(*heads(x), x.gate(B, T, H, dtype=torch.float32))


@slow
def fla_chunk_comba(x):
    from fla.ops.comba import chunk_comba
    return chunk_comba(x.real(B, T, H, K), x.unit(B, T, H, K), x.real(B, T, H, V), x.unit(B, T, H, K), x.gate(B, T, H, dtype=torch.float32), x.share(B, T, H))[0]


@slow
def fla_chunk_lightning_attn(x):
    from fla.ops.lightning_attn import chunk_lightning_attn
    return chunk_lightning_attn(*heads(x), layer_idx=3, num_layers=12)[0]


@slow
def fla_chunk_linear_attn(x):
    from fla.ops.linear_attn import chunk_linear_attn
    return chunk_linear_attn(*heads(x), normalize=False)[0]


@function
def fla_parallel_based(x):
    from fla.ops.based import parallel_based
    return parallel_based(x.real(B, T, H, 16), x.real(B, T, H, 16), x.real(B, T, H, V))


@function
def fla_parallel_stickbreaking_attn(x):
    from fla.ops.stickbreaking_attn import parallel_stickbreaking_attn
    return parallel_stickbreaking_attn(*heads(x))[0]


@function
def fla_parallel_path_attn(x):
    from fla.ops.path_attn import parallel_path_attn
    return parallel_path_attn(*heads(x), x.unit(B, T, H, K), x.share(B, T, H))[0]


@function
def fla_parallel_nsa(x):
    from fla.ops.nsa import parallel_nsa
    q, k, v = x.real(B, T, 16, K), x.real(B, T, 1, K), x.real(B, T, 1, V)
    return parallel_nsa(q, k, v, g_cmp=x.share(B, T, 16), g_slc=x.share(B, T, 16), block_counts=8, block_size=32)


@function
def fla_mean_pooling(x):
    from fla.ops.utils import mean_pooling
    return mean_pooling(x.real(B, T, H, K), 64)


@function
def fla_chunk_global_cumsum(x):
    from fla.ops.utils import chunk_global_cumsum
    return chunk_global_cumsum(x.real(B, T, H, dtype=torch.float32, grad=False))


# ---- fla-core: modules ----


@function
def fla_swiglu(x):
    from fla.modules.activations import swiglu
    return swiglu(x.real(B, T, D), x.real(B, T, D))


@function
def fla_swish(x):
    from fla.modules.activations import swish
    return swish(x.real(B, T, D))


@function
def fla_rms_norm(x):
    from fla.modules.norm.layernorm import rms_norm
    return rms_norm(x.real(B, T, D), x.real(D), None)


@function
def fla_layer_norm_residual(x):
    from fla.modules.norm.layernorm import layer_norm
    return layer_norm(x.real(B, T, D), x.real(D), x.real(D), residual=x.real(B, T, D))


@function
def fla_l2norm(x):
    from fla.modules.norm.l2norm import l2norm
    return l2norm(x.real(B, T, H, K))


@function
def fla_rms_norm_gated(x):
    from fla.modules import FusedRMSNormGated
    torch.manual_seed(0)
    layer = FusedRMSNormGated(K).to(DEVICE, torch.bfloat16)
    return layer(x.real(B, T, H, K), x.real(B, T, H, K))


@function
def fla_short_convolution(x):
    from fla.modules.causal_conv1d import causal_conv1d
    return causal_conv1d(x.real(B, T, D), x.real(D, 4), activation="silu")[0]


@function
def fla_rotary(x):
    from fla.modules import RotaryEmbedding
    q, k = RotaryEmbedding(K).to(DEVICE)(x.real(B, T, H, K), x.real(B, T, H, K))
    return q + k


@function
def fla_token_shift(x):
    from fla.modules.token_shift import token_shift
    return token_shift(x.real(B, T, D))


@function
def fla_cross_entropy(x):
    from fla.modules import FusedCrossEntropyLoss
    return FusedCrossEntropyLoss()(x.real(4096, WORDS), x.whole(WORDS, 4096))


@function
def fla_linear_cross_entropy(x):
    from fla.modules import FusedLinearCrossEntropyLoss
    return FusedLinearCrossEntropyLoss()(x.real(2048, 1024), x.whole(WORDS, 2048), x.real(WORDS, 1024, scale=0.02))


@function
def fla_kl_div(x):
    from fla.modules import FusedKLDivLoss
    return FusedKLDivLoss()(x.real(1024, 1024), x.real(1024, 1024, grad=False), x.real(WORDS, 1024, scale=0.02), x.real(WORDS, 1024, grad=False, scale=0.02))


# ---- Liger ----


def liger(name):
    import liger_kernel.transformers.functional as functional
    return getattr(functional, name)


@function
def liger_rms_norm(x):
    return liger("liger_rms_norm")(x.real(B, T, D), x.real(D), 1e-6)


@function
def liger_layer_norm(x):
    return liger("liger_layer_norm")(x.real(B, T, D), x.real(D), x.real(D), 1e-6)


@function
def liger_swiglu(x):
    return liger("liger_swiglu")(x.real(B, T, 5632), x.real(B, T, 5632))


@function
def liger_geglu(x):
    return liger("liger_geglu")(x.real(B, T, 5632), x.real(B, T, 5632))


@function
def liger_rope(x):
    angles = torch.outer(torch.arange(T, device=DEVICE).float(), 10000 ** (-torch.arange(0, K, 2, device=DEVICE) / K))
    cos, sin = (torch.cat([f(angles)] * 2, -1)[None].bfloat16() for f in (torch.cos, torch.sin))
    q, k = liger("liger_rope")(x.real(B, 8, T, K), x.real(B, 4, T, K), cos, sin)
    return q.sum() + k.sum()


@function
def liger_cross_entropy(x):
    return liger("liger_cross_entropy")(x.real(4096, WORDS), x.whole(WORDS, 4096))


@function
def liger_fused_linear_cross_entropy(x):
    return liger("liger_fused_linear_cross_entropy")(x.real(2048, 1024), x.real(WORDS, 1024, scale=0.02), x.whole(WORDS, 2048))


@function
def liger_softmax(x):
    return liger("liger_softmax")(x.real(4096, 4096))


@function
def liger_kl_div(x):
    return liger("liger_kl_div")(F.log_softmax(x.real(1024, 8192, dtype=torch.float32), -1), F.softmax(x.real(1024, 8192, dtype=torch.float32, grad=False), -1))


@function
def liger_jsd(x):
    return liger("liger_jsd")(F.log_softmax(x.real(1024, 8192, dtype=torch.float32), -1), F.log_softmax(x.real(1024, 8192, dtype=torch.float32, grad=False), -1))


@function
def liger_group_norm(x):
    return liger("liger_group_norm")(x.real(B, 64, 4096), x.real(64), x.real(64), 64, 8, 1e-6)


@function
def liger_dyt(x):
    return liger("liger_dyt")(x.real(B, T, D), x.real(1), x.real(D), x.real(D))


# ---- FlagGems ----


def gems():
    import flag_gems
    return flag_gems


@function
def gems_mm(x):
    return gems().mm(x.real(1024, 2048, grad=False), x.real(2048, 1024, grad=False))


@function
def gems_addmm(x):
    return gems().addmm(x.real(1024, grad=False), x.real(512, 2048, grad=False), x.real(2048, 1024, grad=False))


@function
def gems_bmm(x):
    return gems().bmm(x.real(16, 512, 512, grad=False), x.real(16, 512, 512, grad=False))


@function
def gems_softmax(x):
    return gems().softmax(x.real(2048, 4096, grad=False), -1)


@function
def gems_log_softmax(x):
    return gems().log_softmax(x.real(2048, 4096, grad=False), -1)


@function
def gems_layer_norm(x):
    return gems().layer_norm(x.real(4096, D, grad=False), [D], x.real(D, grad=False), x.real(D, grad=False))[0]


@function
def gems_cumsum(x):
    return gems().cumsum(x.real(1024, 4096, dtype=torch.float32, grad=False), 1)


@function
def gems_sum_dim(x):
    return gems().sum_dim(x.real(4096, 4096, grad=False), [1])


@function
def gems_argmax(x):
    return gems().argmax(x.real(1024, 8192, grad=False), 1)


@function
def gems_silu(x):
    return gems().silu(x.real(4096, 4096, grad=False))


@function
def gems_gelu(x):
    return gems().gelu(x.real(4096, 4096, grad=False))


@function
def gems_embedding(x):
    return gems().embedding(x.real(WORDS, 1024, grad=False), x.whole(WORDS, 4096))


@function
def gems_index_select(x):
    return gems().index_select(x.real(WORDS, 1024, grad=False), 0, x.whole(WORDS, 2048))


def call(made: Callable, seed: int) -> list[torch.Tensor]:
    """A function's output and its inputs' gradients."""
    inputs = Inputs(torch.Generator(DEVICE).manual_seed(seed))
    out = made(inputs)
    tensors = [t for t in (out if isinstance(out, (tuple, list)) else [out]) if isinstance(t, torch.Tensor)]
    live = [t for t in tensors if t.requires_grad]
    if live:
        weights = [torch.ones_like(t) for t in live]
        torch.autograd.backward(live, weights)
    return [*tensors, *(t.grad for t in inputs.grad if t.grad is not None)]


def kernel_times(made: Callable, seed: int) -> dict[str, list[float]]:
    """Durations of a function's kernels by name, of ten steps."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for _ in range(10):
            call(made, seed)
        torch.cuda.synchronize()
    found: dict[str, list[float]] = {}
    for event in seen.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            found.setdefault(event.name, []).append(event.device_time)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="*")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--bits")
    parser.add_argument("--times")
    parser.add_argument("--draw", type=int, default=0)
    options = parser.parse_args()
    ran, failed, first, least, bits, times, benched = [], {}, 0.0, {}, {}, {}, []
    bench = triton.runtime.autotuner.Autotuner._bench
    triton.runtime.autotuner.Autotuner._bench = lambda *args, **kwargs: (benched.append(1), bench(*args, **kwargs))[1]
    part, parts = map(int, options.part.split("/"))
    chosen = [name for name in FUNCTIONS if any(fnmatch.fnmatch(name, glob) for glob in options.only.split(",")) and (options.all or name not in SLOW)]
    for name in chosen[part::parts]:
        made = FUNCTIONS[name]
        begun = time.perf_counter()
        try:
            spent = []
            for _ in range(options.steps):
                begin = time.perf_counter()
                made_now = call(made, options.draw)
                torch.cuda.synchronize()
                spent.append(time.perf_counter() - begin)
            first, least[name] = first + spent[0], min(spent)
            bits[name] = hashlib.sha256(b"".join(t.detach().contiguous().view(torch.uint8).cpu().numpy().tobytes() for t in made_now if t.dim())).hexdigest()
            if options.times:
                times[name] = kernel_times(made, options.draw)
            ran.append(name)
            print(f"{name}: {time.perf_counter() - begun:.1f} s", file=sys.stderr, flush=True)
        except Exception as e:  # a function that this GPU or these versions do not have
            failed[name] = str(e).strip().splitlines()[0][:200] if str(e).strip() else type(e).__name__
            print(f"{name}: {failed[name]}", file=sys.stderr)
    for path, what in ((options.bits, bits), (options.times, times)):
        if path:
            with open(path, "w") as file:
                json.dump(what, file, indent=1)
    print(json.dumps({"ran": len(ran), "failed": failed, "first_s": round(first, 2), "benched": len(benched), "least": least}))
    return 1 if len(failed) * 10 > len(ran) else 0


if __name__ == "__main__":
    sys.exit(main())
