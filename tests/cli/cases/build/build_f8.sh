# Triton kernels with tensors of 8 bits, one with descriptors: built for a GPU that has both types, refused with the type for devices whose Triton has it not.
# covers: triton.c kernel_request.c binding_limits.c limits_ascend.c limits_cuda.c
if ! asctune list builders --json | grep -q '"name":"triton","usable":true'; then # as where there is a Triton
	cat "$CASES/build_f8.out"
	return
fi
export ASCTUNE_CACHE_DIR="$PWD/cache"
for impl in triton descriptors; do
	asctune build "$WORKLOADS/f8.json" -D sm_90 --impl $impl -o made --json 2>err >lines; echo "$impl: exit $?, $(grep -c '"status":"ok"' lines) built"
	cat err
done
grep -ho '"tensor[a-z_]*": "[wxy]", "type": "[a-z0-9]*"' made/*.json | sort | uniq -c | sed 's/^ *//'
for device in sm_80 Ascend910B3; do
	asctune space "$WORKLOADS/f8.json" --device $device --impl triton 2>&1 | sed "s|$ROOT|ROOT|g"
done
