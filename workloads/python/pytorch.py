"""PyTorch beside the kernels of the workloads: what a program without a compiler calls, and the same through torch.compile.

A function takes tensors of a workload as torch.Tensor and returns what is new; where PyTorch has the function itself, the workload names that one. NAME_compiled is
made once for each configuration (`make`). What a program would round to the tensors' type between two kernels is rounded here too, but for rotations, which the
workloads' tolerances want in float32.
"""

import functools
import importlib
import math
import types

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def compiled(function):
    """`function` for `make`. Compilations are counted and looked up by code object, and beyond eight a function is no longer compiled: each has a copy of its own."""
    def make(*arguments, **named):
        own = types.FunctionType(function.__code__.replace(), function.__globals__, function.__name__, function.__defaults__, function.__closure__)
        return functools.partial(torch.compile(own, fullgraph=True, dynamic=False, options=quick()), *arguments, **named)
    return make


@functools.cache
def quick():
    """Options of torch.compile for a CPU, as far as this version has them; code is the same. Instructions are those that the processor names: trying each set takes a
    process that imports torch. Headers are not compiled ahead: these lie in the system's temporary folder, which each process here has for itself."""
    wanted = {"cpp.vec_isa_ok": True, "cpp_cache_precompile_headers": False}
    known = importlib.import_module("torch._inductor").list_options()
    return {name: value for name, value in wanted.items() if name in known}


# ---- element by element ----


def cast(x, dtype):
    return x.to(TYPES[dtype])


def cat(*matrices):
    return torch.cat([matrix for matrix in matrices if matrix is not None], -1)


def swiglu(x, gate):
    return x * F.silu(gate)


def silu_and_mul(x):
    gate, up = x.chunk(2, -1)
    return F.silu(gate) * up


def geglu(a, b):
    return F.gelu(a, approximate="tanh") * b


add_compiled = compiled(lambda x, other, alpha: torch.add(x, other, alpha=alpha))
mul_compiled = compiled(lambda x, other: x * other)
cast_compiled = compiled(cast)
cat_compiled = compiled(cat)
swiglu_compiled = compiled(swiglu)
silu_and_mul_compiled = compiled(silu_and_mul)
geglu_compiled = compiled(geglu)

# ---- rows ----


def rms_norm(x, weight, eps):
    return F.rms_norm(x, weight.shape, weight, eps)


def add_rms_norm(x1, x2, gamma, eps):
    x = x1 + x2
    return rms_norm(x, gamma, eps), x


def unseen(scores):
    """Truth values [Q, K]: row i does not see the keys behind K - Q + i."""
    queries, keys = scores.shape[-2:]
    return torch.arange(keys, device=scores.device) > keys - queries + torch.arange(queries, device=scores.device).unsqueeze(1)


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(mask, -math.inf), -1)


def causal_softmax(scores):
    """For `make`: a program that does not compile makes the mask once."""
    return functools.partial(masked_softmax, scores, unseen(scores))


rms_norm_compiled = compiled(rms_norm)
add_rms_norm_compiled = compiled(add_rms_norm)
softmax_compiled = compiled(lambda x, dim: torch.softmax(x, dim))
causal_softmax_compiled = compiled(lambda scores: masked_softmax(scores, unseen(scores)))

# ---- tokens ----


def rotated(x, cos, sin, neox):
    """`x` [M, H, R] in float32, factors [M, R / 2]."""
    cos, sin = cos.float().unsqueeze(1), sin.float().unsqueeze(1)
    first, second = x.chunk(2, -1) if neox else x.unflatten(-1, (-1, 2)).unbind(-1)
    turned = first * cos - second * sin, second * cos + first * sin
    return torch.cat(turned, -1) if neox else torch.stack(turned, -1).flatten(-2)


def rotary_embedding(positions, query, key, cos_sin_cache, neox):
    cos, sin = cos_sin_cache[positions].chunk(2, -1)
    width = cos_sin_cache.shape[-1]
    return tuple(torch.cat((rotated(x[..., :width].float(), cos, sin, neox).to(x.dtype), x[..., width:]), -1) for x in (query, key))


def apply_rotary_pos_emb(query, key, cos, sin):
    """Both halves of a head have factors of their own."""
    def turned(x):
        first, second = x.float().chunk(2, -1)
        return (x * cos.float().unsqueeze(1) + torch.cat((-second, first), -1) * sin.float().unsqueeze(1)).to(x.dtype)
    return turned(query), turned(key)


def reshape_and_cache(key, value, slots, cache):
    """In place, without padding."""
    for rows, new in zip(cache.view(2, -1, *key.shape[1:]), (key, value)):
        rows.index_copy_(0, slots, new)


rotary_embedding_compiled = compiled(rotary_embedding)
apply_rotary_pos_emb_compiled = compiled(apply_rotary_pos_emb)
reshape_and_cache_compiled = compiled(reshape_and_cache)

# ---- products ----


def gated_mlp(x, a, b):
    return F.silu(x @ a) * (x @ b)


def sdpa(q, k, v, causal):
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)


def sdpa_by(backend):
    """One of PyTorch's back ends alone, which says why where it does not take a problem."""
    def call(q, k, v, causal):
        with sdpa_kernel(backend):
            return sdpa(q, k, v, causal)
    return call


sdpa_cudnn = sdpa_by(SDPBackend.CUDNN_ATTENTION)
sdpa_flash = sdpa_by(SDPBackend.FLASH_ATTENTION)
matmul_compiled = compiled(lambda a, b: a @ b)
gated_mlp_compiled = compiled(gated_mlp)
sdpa_compiled = compiled(sdpa)
