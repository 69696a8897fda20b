#!/bin/sh
# The workloads' twins on the stand-in for an NPU: what they compute is the reference's, for every configuration that is tried, on other SoCs, too. Takes $ASCTUNE_BUILD.
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH"
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-twins.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache"
cd "$work" || exit 1
n=0
right() { # WORKLOAD PROBLEM SOC TRIALS
	n=$((n + 1))
	asctune run "$root/workloads/$1.json" --problem "$2" --device "npu:sim:$3" --strategy random --budget "$4" --repeats 2 --no-race --db t.db --json >lines 2>err
	rc=$?
	trials=$(grep '"type":"trial"' lines | grep -c '"status":"ok"')
	others=$(grep '"type":"trial"' lines | grep -vc '"status":"ok"')
	if [ "$rc" = 0 ] && [ "$trials" -ge "$4" ] && [ "$others" = 0 ]; then
		echo "ok $n - $1/$2 on $3: $trials configurations"
	else
		echo "not ok $n - $1/$2 on $3: exit status $rc, $trials configurations, $others that are not right"
		{ head -n 5 err; grep '"type":"trial"' lines | grep -v '"status":"ok"' | grep -o '"config":{[^}]*}\|"reason":"[^"]*"'; } | head -n 12 | sed 's/^/# /'
	fi
}

export ASCTUNE_PYTHON_NPU=/nowhere/python # these are about the stand-in: no planner is asked
right softmax tiny Ascend910B3 6
right softmax odd Ascend910B3 6
right softmax bert-384-f16 Ascend910B1 3
right rms_norm tiny Ascend910B3 6
right rms_norm odd Ascend950PR_9579 6
right rms_norm llama-7b-decode Ascend910B3 3
right sdpa tiny-causal Ascend910B3 6
right sdpa odd-causal Ascend950PR_9579 4
right sdpa tiny-causal-f16 Ascend910_9382 4
right sdpa bert-384-bf16 Ascend910B3 2
right geglu tiny Ascend910B3 6
right geglu odd Ascend950PR_9579 6
right geglu gemma-7b-decode Ascend910B3 2
right add alpha-f16 Ascend910B3 4
right mul in-place-bf16 Ascend950PR_9579 4
right cast 13x4-strided-bf16-f16 Ascend910B3 4
right cat four-odd-bf16 Ascend910B3 4
right swiglu halves-bf16 Ascend950PR_9579 4
right silu_and_mul in-place-bf16 Ascend910B3 4
right add_rms_norm odd-bf16 Ascend910B3 4
right add_rms_norm in-place Ascend910B3 4
right causal_softmax odd-f16 Ascend950PR_9579 4
right rotary_embedding odd-bf16 Ascend910B3 4
right rotary_embedding in-place-strided-bf16 Ascend910B3 3
right apply_rotary_pos_emb odd-f16 Ascend950PR_9579 4
right reshape_and_cache odd-f16 Ascend910B3 4
right gemm tiny Ascend910B3 8
right gemm odd-f16 Ascend950PR_9579 4
right gated_mlp tiny-f16 Ascend950PR_9579 8
right gated_mlp odd-bf16 Ascend910B3 4
echo "1..$n"
