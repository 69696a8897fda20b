# Rewrites: what they are, what they add to a space for a device that asks for them, what they changed, and doing without.
# covers: rewrite.c space_overview.c survey.c
# sdpa has all rectangles of blocks; here it has what square-block makes of the squares.
export ASCTUNE_PYTHON_NPU=/nowhere/python # who plans is the machine's affair
cp -r "$ROOT/workloads/sdpa" "$ROOT/workloads/npu" "$ROOT/workloads/cpu" "$ROOT/workloads/cuda" "$ROOT/workloads/python" .
sed 's|{"rewrite": "sub-block", "parameters": \["BLOCK_M", "BLOCK_SIZE_SUB"\]}|{"rewrite": "square-block", "parameters": ["BLOCK_M", "BLOCK_N"]},&|' "$ROOT/workloads/sdpa.json" >sdpa.json
F=sdpa.json
O=multibuffer=false,enable_auto_bind_sub_block=true,unit_flag=false,set_workspace_multibuffer=2,tile_mix_vector_loop=2,limit_auto_multi_buffer_only_for_local_buffer=false
npu() { run space "$F" --device Ascend910B3 --problem swin-b-windows "$@"; }
run list rewrites
npu
npu --json
npu --explain BLOCK_M=32,BLOCK_N=64,BLOCK_SIZE_SUB=16,HEAD=32,$O
npu --explain BLOCK_M=32,BLOCK_N=64,BLOCK_SIZE_SUB=16,HEAD=32,$O --json
npu --explain BLOCK_M=32,BLOCK_N=64,BLOCK_SIZE_SUB=16,HEAD=32,$O --no-rewrite axis-limit --no-rewrite square-block
npu --explain BLOCK_M=128,BLOCK_N=128,BLOCK_SIZE_SUB=128,HEAD=32,$O
npu --no-rewrite all
npu --no-rewrite sub-block --count
npu --no-rewrite key-filter
run run "$ROOT/workloads/sdpa.json" --device cpu --impl triton
