# Beside a planner, a run on the stand-in asks about each configuration before it is built: what is refused is recorded as pruned, with memory space, the compiler's
# words and the kernel's place, and costs no trial. Without one it says how many were not asked. The workload is softmax without its own `memory` and table.
# covers: kernel_build.c trial.c verdicts.c run_show.c run_facts.c
if ! asctune list builders --json | grep -q '"name":"triton.npu","usable":true'; then # as where there is a planner
	cat "$CASES/planner.out"
	return
fi
cp -r "$ROOT/workloads/softmax" "$ROOT/workloads/npu" "$ROOT/workloads/cpu" "$ROOT/workloads/python" .
cp "$ROOT/workloads/softmax.json" w.json
python3 - <<'PY'
import json

workload = json.load(open("w.json"))
workload["implementations"] = [i for i in workload["implementations"] if i["name"] == "triton"]
workload.pop("baseline", None)
kernel = workload["implementations"][0]
kernel.pop("memory"), kernel.pop("verdicts", None)
kernel["parameters"].pop("multibuffer")
kernel["constants"]["multibuffer"] = False
kernel["parameters"]["BLOCK_M"] = {"values": [1, 2]}
kernel["parameters"]["BLOCK_N"] = {"values": [1024, 16384, 32768]}
json.dump(workload, open("w.json", "w"))
PY
plan() { asctune run w.json -p llama-32k-vocabulary --device npu:sim:Ascend910B3 --budget 3 --seed 1 --db p.db "$@"; }
plan --json >out 2>err; echo "exit $?"
python3 - <<'PY'
import json

lines = [json.loads(line) for line in open("out")]
begin = next(l for l in lines if l["type"] == "run")
print("planned by", begin["planner"].split()[0])
trials = [l for l in lines if l["type"] == "trial"]
refused = [t for t in trials if t["status"] == "pruned"]
print("refused:", sorted((t["config"]["BLOCK_M"], t["config"]["BLOCK_N"]) for t in refused))
print("reasons:", all(t["reason"].startswith("ub: ub overflow, requires ") and t["reason"].endswith("(softmax, kernel.py:9)") for t in refused))
print("tried:", len(trials) - len(refused), "counted:", next(l for l in lines if l["type"] == "summary")["trials"])
print("planned bytes:", all(any(m["name"] == "planned_ub_bytes" and 0 < m["value"] <= 196608 for m in t["metrics"]) for t in trials if t["status"] == "ok"))
PY
sqlite3 p.db "SELECT status IN ('ok', 'slow', 'undecided') AS tried, status = 'pruned' AS pruned, count(*) > 0 FROM trial GROUP BY 1, 2"
# another planner, or none, may accept what was refused: such a result is not taken from the record
ASCTUNE_PYTHON_NPU=/nowhere/python plan --resume --json 2>err | grep -o -e '"status":"pruned"' -e '"trials":[0-9][0-9]*'
ASCTUNE_PYTHON_NPU=/nowhere/python plan 2>&1 | grep -o 'no planner is asked about.*'
