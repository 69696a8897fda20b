# Operators of CANN in the ways that InfiniOps makes its own of them, on the stand-in: single calls and several with tensors between them, verified; numbers as InfiniOps has them.
# covers: aclnn.c aclnn_index.c
cp "$ROOT"/tests/data/vendor/*.json "$ROOT"/tests/data/vendor/operators_reference.c .
results() { sed -n 's/.*"type":"trial".*"implementation":"\([a-z]*\)".*"status":"\([a-z_]*\)".*/\1 \2/p' | sort; }
tune() { timeout 120 asctune run "$1.json" --device npu:sim:Ascend910B3 --budget 4 --repeats 3 --no-history --db r.db --json 2>err | results; }
for name in add_rms_norm swiglu; do
	asctune check-workload "$name.json"
	tune "$name"
done
sed 's/"index": 1,/"index": 2,/' swiglu.json >numbered.json
asctune check-workload numbered.json 2>&1 | grep index
echo '- an operator that launches no kernel has no record: events time it'
sed 's/"f16"/"f32"/' cast.json >same.json
ASCTUNE_NPU_CLOCK=mspti tune same
ASCTUNE_NPU_CLOCK=event tune same
echo '- of views: a cast from every other column to rows with gaps'
python3 - <<'PY'
import json

w = json.load(open("cast.json"))
w["tensors"]["x"].update(strides=["2 * N", 2], offset=3)
w["tensors"]["out"].update(strides=["N + 5", 1], offset=7)
json.dump(w, open("cast_views.json", "w"))
PY
ASCTUNE_NPU_CLOCK=event tune cast_views
echo '- what a result says of each'
sqlite3 r.db "SELECT DISTINCT i.name, n.name, n.unit FROM metric m JOIN metric_name n ON n.id = m.name_id JOIN trial t ON t.id = m.trial_id JOIN implementation i ON i.id = t.implementation_id WHERE i.name = 'two' AND n.name IN ('host_ns', 'workspace_bytes', 'capturable') ORDER BY 2"
sqlite3 r.db "SELECT DISTINCT toolchain FROM implementation" | sed 's/ACL [0-9.]*/ACL VERSION/; s/stand-in .*/stand-in/'
