# InfiniOps' operators as calls of CANN's, by index, on the stand-in: tensors changed in place, texts, truth values, null, views, tables from functions with values. Padding that an index does not know is a wrong answer.
# covers: aclnn.c standin_index.c standin_rotary.c inputs.c launch.c
cp "$ROOT"/tests/data/vendor/calls_* .
tune() { # FILE PROBLEM [OPTION...]
	echo "- $1"
	file=$1 problem=$2
	shift 2
	timeout 120 asctune run "$file.json" --problem "$problem" --device npu:sim:Ascend910B3 --budget 4 --repeats 3 --no-history --db r.db --json "$@" 2>err |
		sed -n 's/.*"type":"run",.*"problem":"\([^"]*\)".*/\1/p; s/.*"type":"trial".*"implementation":"\([a-z]*\)".*"status":"\([a-z_]*\)".*/  \1 \2/p'
}
for name in calls_softmax calls_rotary calls_cache calls_gemm; do
	asctune check-workload "$name.json"
	tune "$name" all
done
sed 's/"kind": "slots", /"kind": "slots", "padding": 0.5, /' calls_cache.json >padded.json
tune padded tiny
sed 's/"text": "half"/"text": "interleave"/' calls_rotary.json >mode.json
tune mode halves --impl tables
sqlite3 r.db "SELECT DISTINCT reason FROM trial WHERE reason LIKE '%phase one%'"
