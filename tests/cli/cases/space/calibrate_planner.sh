# Bounds of memory for a kernel that states none, found by few questions to the real planner: the table and the `memory` of a workload, which then loses nothing.
# covers: space_calibrate.c kernel_variants.c calibration.c
if ! asctune list builders --json | grep -q '"name":"triton.npu","usable":true'; then # as where there is a planner
	cat "$CASES/calibrate_planner.out"
	return
fi
mkdir w
cp "$ROOT/tests/limits/reference.c" .
cp "$ROOT/tests/limits/calibrate/rotary.json" "$ROOT/tests/limits/calibrate/kernels.py" w
cd w
calibrate() { run space rotary.json --device Ascend910B3 -p f16 --calibrate=12 "$@"; }
calibrate | sed 's/compile .*, for/compile, for/'
calibrate --json >out
python3 - <<'PY'
import json

lines = [json.loads(line) for line in open("out") if line.startswith("{")]
for line in lines[:-1]:
    print(line["variant"], "rows", line["rows"], "asked", line["asked"], "lost", line["lost"], "bounds", line["bounds"])
print(lines[-1]["memory"])
workload = json.load(open("rotary.json"))
workload["implementations"][0]["memory"] = lines[-1]["memory"]
json.dump(workload, open("rotary.json", "w"))
PY
run space rotary.json --device Ascend910B3
run space rotary.json --device Ascend910B3 -p f16 --explain BLOCK_T=16,BLOCK_H=16,HALF=64,FULL=true,multibuffer=false
