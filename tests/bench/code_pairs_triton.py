"""For tests/bench/code_pairs: `PYTHON code_pairs_triton.py SOURCE OUT CAPABILITY CONSTANT WARPS` compiles the kernel `scale` of a source for a GPU that need
not be here, and writes its cubin."""
import importlib.util
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

source, out, capability, constant, warps = sys.argv[1:]
spec = importlib.util.spec_from_file_location("pair", source)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
signature = {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr", "FACTOR": "constexpr"}
made = triton.compile(ASTSource(module.scale, signature=signature, constexprs={"BLOCK": 1024, "FACTOR": float(constant)}),
                      target=GPUTarget("cuda", int(capability), 32), options={"num_warps": int(warps)})
open(out, "wb").write(made.asm["cubin"])
