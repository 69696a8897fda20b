# Rewrites: what they are, what they add to a space for a device that asks for them, what they changed, and doing without.
# covers: rewrite.c space_overview.c tool_listing.c
F="$ROOT/workloads/sdpa.json"
npu() { run space "$F" --device Ascend910B3 --problem swin-b-windows "$@"; }
run list rewrites
npu
npu --json
npu --explain BLOCK_M=32,BLOCK_N=64,BLOCK_SIZE_SUB=16,HEAD=32
npu --explain BLOCK_M=32,BLOCK_N=64,BLOCK_SIZE_SUB=16,HEAD=32 --json
npu --explain BLOCK_M=32,BLOCK_N=64,BLOCK_SIZE_SUB=16,HEAD=32 --no-rewrite axis-limit --no-rewrite square-block
npu --explain BLOCK_M=128,BLOCK_N=128,BLOCK_SIZE_SUB=128,HEAD=32
npu --no-rewrite all
npu --no-rewrite sub-block --count
npu --no-rewrite key-filter
run run "$ROOT/workloads/sdpa.json" --device cpu --impl triton
