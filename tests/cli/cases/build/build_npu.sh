# Kernels for an NPU that is not here go as far as the planner's verdict: planned bytes, or the memory that is too small, with the compiler's words; one verdict serves
# all problems, and a run on the stand-in. The workload is softmax without its own `memory`; bytes are those of bishengir-compile 1.2.0.
# covers: builds.c cmd_build.c build_report.c built_kernel.c
if ! asctune list builders --json | grep -q '"name":"triton.npu","usable":true'; then # as where there is a planner
	cat "$CASES/build_npu.out"
	return
fi
export ASCTUNE_CACHE_DIR="$PWD/cache"
cp -r "$ROOT/workloads/softmax" "$ROOT/workloads/npu" "$ROOT/workloads/cpu" "$ROOT/workloads/python" .
python3 - <<'PY'
import json, os

workload = json.load(open(os.path.join(os.environ["ROOT"], "workloads", "softmax.json")))
workload["implementations"] = [i for i in workload["implementations"] if i["name"] == "triton"]
workload.pop("baseline", None)
kernel = workload["implementations"][0]
kernel.pop("memory", None)
kernel.pop("verdicts", None)
kernel["parameters"]["BLOCK_M"] = {"values": [1, 2]}
kernel["parameters"]["BLOCK_N"] = {"values": [1024, 16384, 32768]}
kernel["parameters"]["multibuffer"] = {"values": [True]}
json.dump(workload, open("w.json", "w"))
PY
asctune build w.json -D Ascend910B3 -p llama-32k-vocabulary --budget all >out 2>&1; echo "exit $?"
sed -E 's/(planner: bishengir-compile).*/\1/; /^slowest/d; /^  +[0-9.]+ m?s /d; s/ +[0-9.]+ m?s$/  TIME/; s/ in [0-9.]+ m?s/ in TIME/; s/requires [0-9]+ bits/requires N bits/; s/(such as .*) triton .*/\1/' out
# the default is the smallest row: what is asked for and refused is a failure
asctune build w.json -D Ascend910B3 -p llama-32k-vocabulary --config BLOCK_M=2,BLOCK_N=32768 --json 2>err | sed '/"function"/d' | grep -o -e '"status":"[a-z]*"' -e '"reason":"ub: ub overflow' -e '"cached":[a-z][a-z]*' -e '"failed_defaults":[0-9]*'
# planned: bytes of each memory, and which program it is; nothing is compiled that was asked before
asctune build w.json -D Ascend910B3 -p llama-32k-vocabulary --config BLOCK_M=1,BLOCK_N=1024 --json -o made 2>err | grep '"planned"' | sed -E 's/"(program|artifact)":"[0-9a-f]{32}"/"\1":"KEY"/g' | grep -o -e '"cached":[a-z][a-z]*' -e '"kernels".*'
grep -c '"planned": {"ub": ' made/*.json
# the stand-in: the planner's verdict is there already, the twin is compiled
asctune build w.json -D npu:sim:Ascend910B3 -p llama-32k-vocabulary --config BLOCK_M=1,BLOCK_N=1024 --json 2>err | sed '/"function"/d' | grep -o -e '"status":"[a-z]*"' -e '"cached":[a-z][a-z]*' -e '"planned_bytes":{"ub":[0-9]*'
find cache/artifacts/?? -name '*.so' | wc -l
