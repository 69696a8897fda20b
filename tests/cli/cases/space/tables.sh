# Values by table: a grid, a constant, a list of configurations and those tried first, as a workload has them in place of formulas.
# covers: workload_table.c binding_tables.c impl_search.c cmd_check.c
cp -r "$WORKLOADS/axpy" .
with() { # TABLES KEYS -> w.json: KEYS in place of constraints and launch
	awk -v tables="$1" -v keys="$2" '/"constraints": \[/ { skip = 4 } skip-- > 0 { next } /"launch":/ {
		print "      \"tables\": {" tables "},\n      " keys ",\n      \"launch\": {\"grid\": [\"blocks\"], \"threads\": \"THREADS\"},"; next } { print }' "$WORKLOADS/axpy.json" >w.json
}
blocks='"blocks": {"by": ["problem", "BLOCK"], "rows": [["small", 64, 16], ["small", 256, 4], ["large", 64, 1563], ["large", 2048, 49]]}'
listed='"listed": {"by": ["UNROLL", "BLOCK", "THREADS"], "rows": [[1, 64, 1, true], [1, 256, 1, true], [2, 256, 2, true], [1, 1024, 1, true]], "otherwise": false}'
first='"old": {"by": ["UNROLL"], "rows": [[2, true]], "otherwise": false}'
with "$blocks, $listed, $first" '"constraints": ["listed"], "first": "old", "constants": {"HINT": {"table": "blocks"}}'
run check-workload w.json
run space w.json --device cpu
run space w.json --device cpu --list
run space w.json --device cpu --explain BLOCK=1024,UNROLL=1,THREADS=1
run space w.json --device cpu --explain BLOCK=64,UNROLL=4,THREADS=1
echo '- the default, then what is tried first, then the rest'
asctune run w.json --device cpu --json --db t.db --no-race 2>/dev/null | grep '"type":"trial"' | sed 's/.*"config":\({[^}]*}\).*"status":"\([a-z]*\)".*/\1 \2/'
echo '- results stay as rows for other problems and configurations that are not listed come and go'
with "${blocks%%, \[\"large\"*}]}, $listed, $first" '"constraints": ["listed"], "first": "old", "constants": {"HINT": {"table": "blocks"}}'
asctune run w.json --device cpu --json --db t.db --no-race --resume 2>/dev/null | grep -o '"resumed":[0-9][0-9]*'
with "$(echo "$blocks, $listed, $first" | sed 's/"small", 256, 4/"small", 256, 5/')" '"constraints": ["listed"], "first": "old", "constants": {"HINT": {"table": "blocks"}}'
asctune run w.json --device cpu --json --db t.db --no-race --resume 2>/dev/null | grep -o '"resumed":[0-9][0-9]*'
echo '- a format without tables'
run export t1 w.json --device cpu
