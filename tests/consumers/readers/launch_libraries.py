"""Launches of vLLM's and SGLang's Triton kernels, made by the libraries' own layers and launchers.

As their look-ups (reader_libraries.py), these are cut out of the package's files as text and run unchanged, from the layer's function down to the kernel. Tensors are stand-ins that
have shapes, strides and types alone; operators of CUDA C++ do nothing; in the kernel's place is an object that keeps what it is launched with.

`launches(layer, config, model)` gives each launch as {"grid": [x, y, z], "arguments": {NAME: VALUE}}, by the kernel's own names, with its defaults and the options of its compiler. A
tensor is {"dtype", "elements"}, None where there is none. `config` None: what the library takes without a table.
"""
import ast
import contextlib
import math
import types
from pathlib import Path

from reader_libraries import Tensor, ceiling, cut, stand_in, statements

SHARED_BYTES = 232448  # of a block on sm_90
OPTIONS = {"num_warps": 4, "num_stages": 3, "launch_pdl": False}  # of Triton's compiler, with its defaults


class Array(Tensor):
    """A dense tensor as layers handle it."""

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return self.ndim

    def view(self, *shape):
        known = math.prod(n for n in shape if n >= 0)
        return Array([n if n >= 0 else self.numel() // known for n in shape], self.dtype)

    reshape = view

    def unsqueeze(self, dim):
        return Array([*self.shape[:dim], 1, *self.shape[dim:]], self.dtype)

    def __getitem__(self, key):
        if isinstance(key, slice):  # of a buffer's beginning
            return Array((len(range(*key.indices(self.shape[0]))), *self.shape[1:]), self.dtype)
        return Array((self.shape[0], *self.shape[2:]), self.dtype)

    def new_empty(self, shape, dtype=None):
        return Array(shape, dtype)

    def zero_(self):
        return self

    squeeze = copy_ = lambda self, *_, **__: self


class Anything:
    """What has no part in a launch: operators, modules."""

    def __getattr__(self, _):
        return self

    def __call__(self, *_, **__):
        return self


def empty(*shape, dtype=None, **_):
    return Array(shape[0] if isinstance(shape[0], (tuple, list)) else shape, dtype)


TORCH = types.SimpleNamespace(
    bfloat16="bf16", float16="f16", float32="f32", float="f32", int32="i32", int="i32", int8="i8", float8_e4m3fn="f8e4m3", float8_e4m3fnuz="f8e4m3fnuz", float8_e8m0fnu="e8m0",
    empty=empty, full=lambda shape, value, dtype, device: Array(shape, dtype), empty_like=lambda t, dtype=None, **_: Array(t.shape, dtype or t.dtype), ops=Anything(),
    add=lambda *_, out: out, _dynamo=types.SimpleNamespace(is_compiling=lambda: False))
LANGUAGE = types.SimpleNamespace(bfloat16={"dtype": "bf16"}, float16={"dtype": "f16"}, float32={"dtype": "f32"})
TRITON = types.SimpleNamespace(cdiv=ceiling)


def signature(package, path, kernel):
    """Names of a kernel's parameters in order, and the defaults of those that have one."""
    function = ast.parse(statements(Path(package, path))[kernel]).body[0]
    names = [a.arg for a in function.args.args]
    return names, {n: ast.literal_eval(d) for n, d in zip(names[len(names) - len(function.args.defaults):], function.args.defaults)}


def constants(package, path, kernel):
    """Names of its parameters that are compiled in."""
    function = ast.parse(statements(Path(package, path))[kernel]).body[0]
    return {a.arg for a in function.args.args if a.annotation and ast.unparse(a.annotation) == "tl.constexpr"}


class Kernel:
    """A kernel that keeps its launches."""

    def __init__(self, package, path, name):
        self.names, self.defaults = signature(package, path, name)
        self.launches = []

    def __getitem__(self, grid):
        def launch(*arguments, **keywords):
            passed = {**OPTIONS, **self.defaults, **dict(zip(self.names, arguments)), **keywords}
            blocks = grid(passed) if callable(grid) else grid
            self.launches.append({"grid": [*blocks, 1, 1][:3], "arguments": {
                name: {"dtype": v.dtype, "elements": v.numel()} if isinstance(v, Tensor) else v for name, v in passed.items()}})
        return launch


class Layer:
    """Stand-ins of a layer's tensors: x, weights, their scales, and what a router says."""

    def __init__(self, sizes, dtype):
        self.sizes, self.dtype = sizes, dtype
        m, e, n, k, top_k = (sizes[s] for s in ("M", "E", "N", "K", "top_k"))
        self.fp8, self.block = dtype == "fp8_w8a8", [sizes["block_n"], sizes["block_k"]] if "block_n" in sizes else None
        element = "bf16" if self.fp8 else dtype
        weights = "f8e4m3" if self.fp8 else dtype
        self.x, self.w1, self.w2 = Array((m, k), element), Array((e, 2 * n, k), weights), Array((e, k, n), weights)
        self.weights, self.ids = Array((m, top_k), "f32"), Array((m, top_k), "i32")
        self.scales = {}
        if self.fp8:
            of = [(e,), (e,)] if not self.block else [(e, *(ceiling(size, b) for size, b in zip(w.shape[1:], self.block))) for w in (self.w1, self.w2)]
            self.scales = {"w1_scale": Array(of[0], "f32"), "w2_scale": Array(of[1], "f32")}


class Product:
    """Stand-ins of the tensors of a product of fp8."""

    def __init__(self, sizes, dtype):
        m, n, k, bn, bk = (sizes[s] for s in ("M", "N", "K", "block_n", "block_k"))
        self.dtype, self.block = dtype, [bn, bk]
        self.tensors = Array((m, k), "f8e4m3"), Array((n, k), "f8e4m3"), Array((m, ceiling(k, bk)), "f32"), Array((ceiling(n, bn), ceiling(k, bk)), "f32")


class Library:
    """`asked` is the configuration that the look-up finds, which no file has a part in; `capability` that of the GPU, ten times."""

    def __init__(self, package):
        self.package, self.asked, self.capability = package, None, 90
        self.moe_kernel, self.fp8_kernel = (Kernel(package, *self.KERNELS[kind]) for kind in ("moe", "block-fp8"))
        self.parts = self._cut()

    def constants(self, kind):
        return constants(self.package, *self.KERNELS[kind])

    def names(self, kind):
        return (self.moe_kernel if kind == "moe" else self.fp8_kernel).names

    def launches(self, kind, sizes, dtype, config, capability):
        kernel = self.moe_kernel if kind == "moe" else self.fp8_kernel
        self.asked, self.capability, kernel.launches = config, capability, []
        for part in self.parts:
            for value in vars(part).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
        if kind == "moe":
            self._run_layer(Layer(sizes, dtype))
        else:
            product = Product(sizes, dtype)
            self._run_product(*product.tensors, product.block, product.dtype)
        return kernel.launches

    def _find(self, *_, **__):
        return {1: dict(self.asked)} if self.asked else None


class Vllm(Library):
    readers = ("vllm:moe", "vllm:block-fp8")
    FOLDER = "vllm/model_executor/layers/"
    KERNELS = {"moe": (FOLDER + "fused_moe/fused_moe.py", "fused_moe_kernel"), "block-fp8": (FOLDER + "quantization/utils/fp8_utils.py", "_w8a8_triton_block_scaled_mm")}
    FUNCTIONS = {FOLDER + "fused_moe/fused_moe.py": (
        "fused_experts_impl", "_prepare_expert_assignment", "_weights_host_resident", "_get_config_quant_dtype", "try_get_optimal_moe_config", "get_default_config",
        "dispatch_fused_moe_kernel", "invoke_fused_moe_triton_kernel"),
        FOLDER + "fused_moe/config.py": ("_get_config_dtype_str",),
        FOLDER + "fused_moe/moe_align_block_size.py": ("moe_align_block_size",),
        FOLDER + "fused_moe/utils.py": ("enable_swap_ab", "resolve_moe_use_td", "warn_if_moe_use_td_ineffective", "moe_kernel_quantize_input", "_fp8_quantize"),
        "vllm/_custom_ops.py": ("scaled_fp8_quant",), "vllm/utils/math_utils.py": ("cdiv", "round_up"),
        FOLDER + "quantization/utils/fp8_utils.py": ("w8a8_triton_block_scaled_mm", "per_token_group_quant_fp8")}

    def _cut(self):
        stand_in("vllm.model_executor.layers.fused_moe", get_config=lambda: None)  # of a tuner that overrides what is found
        platform = types.SimpleNamespace(is_rocm=lambda: False, is_xpu=lambda: False, is_cuda_alike=lambda: True, fp8_dtype=lambda: "f8e4m3",
                                         is_device_capability=lambda n: self.capability == n)
        activation = types.SimpleNamespace(SILU=types.SimpleNamespace(value="silu"), from_str=lambda _: None)
        modular = types.SimpleNamespace(FusedMoEExpertsModular=types.SimpleNamespace(adjust_N_for_activation=lambda n, _: n // 2))
        ops = types.SimpleNamespace(moe_align_block_size=Anything(), moe_sum=Anything())
        module = cut(self.package, self.FUNCTIONS, "/nonexistent", torch=TORCH, tl=LANGUAGE, triton=TRITON, mk=modular, ops=ops, logger=Anything(), current_platform=platform,
                     MoEActivation=activation, apply_moe_activation=Anything(), envs=types.SimpleNamespace(VLLM_TRITON_USE_TD=None, VLLM_BATCH_INVARIANT=False),
                     _warned_moe_use_td_ineffective=False, get_fp8_min_max=lambda: (-448, 448), is_deep_gemm_e8m0_used=lambda: False, FusedMoEQuantConfig=None,
                     fused_moe_kernel=self.moe_kernel, _w8a8_triton_block_scaled_mm=self.fp8_kernel, get_moe_configs=self._find, get_w8a8_block_fp8_configs=self._find)
        ops.scaled_fp8_quant = module.scaled_fp8_quant
        return (module,)

    def _run_layer(self, layer):
        self.parts[0].fused_experts_impl(layer.x, layer.w1, layer.w2, layer.weights, layer.ids, use_fp8_w8a8=layer.fp8, block_shape=layer.block, **layer.scales)

    def _run_product(self, *arguments):
        self.parts[0].w8a8_triton_block_scaled_mm(*arguments)


class Sglang(Library):
    readers = ("sglang:moe", "sglang:block-fp8")
    LAYERS, OPS = "sglang/srt/layers/moe/moe_runner/triton_utils/", "sglang/kernels/ops/"
    KERNELS = {"moe": (OPS + "moe/fused_moe_triton_kernels.py", "fused_moe_kernel"), "block-fp8": (OPS + "gemm/fp8_kernel.py", "_w8a8_block_fp8_matmul")}
    FUNCTIONS = {LAYERS + "fused_moe.py": ("fused_experts_impl", "_prepare_fused_moe_run", "_fused_moe_kernel_sequence", "_activation_row_filter", "moe_combine_topk",
                                           "_use_moe_sum_reduce_torch_compile", "_moe_support_tma"),
                 LAYERS + "moe_align_block_size.py": ("moe_align_block_size", "_CUDA_SMALL_BATCH_MAX_BUCKETS"),
                 LAYERS + "fused_moe_triton_config.py": ("_LOW_SMEM_FP8_DEFAULT_CUTOFF_BYTES", "_get_cuda_shared_memory_per_block_optin", "_use_low_smem_fp8_default",
                                                         "get_default_config", "try_get_optimal_moe_config", "get_config_dtype_str"),
                 OPS + "moe/fused_moe_triton_kernels.py": ("invoke_fused_moe_kernel", "should_enable_swap_ab", "support_tensor_descriptor"),
                 OPS + "moe/moe_align_small_numel.py": ("SMALL_NUMEL_LIMIT",),
                 OPS + "quantization/fp8_kernel.py": ("sglang_per_token_group_quant_fp8", "create_per_token_group_quant_fp8_output_scale"),
                 OPS + "gemm/fp8_kernel.py": ("prepare_block_fp8_matmul_inputs", "select_w8a8_block_fp8_matmul_kernel", "w8a8_block_fp8_matmul_triton"),
                 "sglang/kernels/jit/utils/arch.py": ("is_arch_support_pdl",)}

    def _cut(self):
        stand_in("sglang.srt.layers.moe.moe_runner.triton_utils", get_config=lambda: None)
        off = types.SimpleNamespace(deterministic=types.SimpleNamespace(enable_deterministic_inference=False), moe=types.SimpleNamespace(enable_fused_moe_sum_all_reduce=False))
        torch = types.SimpleNamespace(**vars(TORCH), cuda=types.SimpleNamespace(
            is_available=lambda: True, current_device=lambda: 0, get_device_properties=lambda _: types.SimpleNamespace(shared_memory_per_block_optin=SHARED_BYTES)))

        def scaled_fp8_quant(input, scale=None, use_per_token_if_dynamic=False):  # it is defined for one kind of device, below the file's outermost level
            return Array(input.shape, "f8e4m3"), Array((input.shape[0], 1) if use_per_token_if_dynamic else (1,), "f32")

        def sglang_per_token_quant_fp8(x, **_):
            return Array(x.shape, "f8e4m3"), Array((x.shape[0], 1), "f32")

        return (cut(self.package, self.FUNCTIONS, "/nonexistent", torch=torch, tl=LANGUAGE, triton=TRITON, logger=Anything(), _is_cuda=True, _is_hip=False, _is_xpu=False,
                    _is_musa=False, _use_aiter=False, padding_size=0, _SGLANG_EXPERIMENTAL_LORA_OPTI=False, _support_tensor_descriptor=True, fp8_dtype="f8e4m3", fp8_min=-448,
                    fp8_max=448, _is_gfx1250=False, _w8a8_block_fp8_matmul_hopper=None, get_exec=lambda: off, get_parallel=Anything(), is_allocation_symmetric=Anything(),
                    use_symmetric_memory=lambda *_, **__: contextlib.nullcontext(), is_batch_invariant_mode_enabled=lambda: False, moe_align_small_numel=Anything(),
                    sgl_moe_align_block_size=Anything(), silu_and_mul=Anything(), moe_sum_reduce=Anything(), moe_sum_reduce_triton=Anything(),
                    moe_sum_reduce_torch_compile=Anything(), _run_per_token_group_quant_8bit_kernel=Anything(), scaled_fp8_quant=scaled_fp8_quant,
                    sglang_per_token_quant_fp8=sglang_per_token_quant_fp8, is_sm90_supported=lambda: self.capability // 10 == 9, cache_once=lambda f: f,
                    get_platform=lambda: types.SimpleNamespace(is_sm90=self.capability == 90), is_hip_runtime=lambda: False, is_musa_runtime=lambda: False,
                    get_jit_cuda_arch=lambda: types.SimpleNamespace(major=self.capability // 10), fused_moe_kernel=self.moe_kernel, _w8a8_block_fp8_matmul=self.fp8_kernel,
                    get_moe_configs=lambda *_, down_moe=False, **__: None if down_moe and not self.asked else self._find(), get_w8a8_block_fp8_configs=self._find),)

    def _run_layer(self, layer):
        self.parts[0].fused_experts_impl(layer.x, layer.w1, layer.w2, layer.weights, layer.ids, use_fp8_w8a8=layer.fp8, block_shape=layer.block, **layer.scales)

    def _run_product(self, *arguments):
        self.parts[0].w8a8_block_fp8_matmul_triton(*arguments)


LIBRARIES = {"vllm": Vllm, "sglang": Sglang}
