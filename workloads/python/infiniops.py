"""InfiniOps' operators where a workload needs more than their name: which indices are built in, since another one ends the process, and lists of tensors.

InfiniTensor/InfiniOps, branch feat/ascend-operators at 1ed8fb33: tensors and numbers by place, then `stream` and `implementation_index` by keyword alone.
"""

import infini.ops


def active(operator):
    """What a workload names as `available`: a text where the index that the call asks for is not built in for the device of its first tensor."""
    def available(first, *others, implementation_index, **named):
        kind = first.device.type
        indices = getattr(infini.ops, operator).active_implementation_indices(kind)
        if implementation_index in indices:
            return None
        return f"InfiniOps has no index {implementation_index} of {operator} for {kind}, but {', '.join(map(str, indices)) or 'none'}"
    return available


add_active = active("Add")
add_rms_norm_active = active("AddRmsNorm")
apply_rotary_pos_emb_active = active("ApplyRotaryPosEmb")
cast_active = active("Cast")
cat_active = active("Cat")
causal_softmax_active = active("CausalSoftmax")
gemm_active = active("Gemm")
mul_active = active("Mul")
reshape_and_cache_active = active("ReshapeAndCache")
rms_norm_active = active("RmsNorm")
rotary_embedding_active = active("RotaryEmbedding")
silu_and_mul_active = active("SiluAndMul")
swiglu_active = active("Swiglu")


def cat(out, first, *others, **named):
    infini.ops.cat(first, [tensor for tensor in others if tensor is not None], -1, out, **named)
