# A search may end before its budget, and says so.
# covers: patience.c
tune() { asctune run "$WORKLOADS/axpy.json" --device cpu --problem small --cache hot --jobs 1 --strategy random "$@"; }
tune --patience 1 --budget all --db p.db 2>/dev/null | grep '^  patience' | sed 's/[0-9]* trials/N trials/'
sqlite3 p.db "select outcome, json_extract(patience_json, '$.patience'), json_extract(patience_json, '$.trials') < 11, (select count(*) from trial) < 11 from run"
tune --patience 1 --budget all --db p.db --json 2>/dev/null | grep -o '"patience":{"patience":"1","trials":[0-9]*' | sed 's/[0-9]*$/N/'
asctune show run 1 --db p.db | grep '^  patience' | sed 's/"trials":[0-9]*,"expected_pct":[^}]*/.../'
# whoever is ready to end a search gets one that asks for the best first
asctune run "$WORKLOADS/axpy.json" --device cpu --problem small --cache hot --jobs 1 --patience 5 --budget all --db auto.db >/dev/null 2>&1
sqlite3 auto.db 'select strategy from run'
# where nothing passes
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" . && sed -i 's/out\[i\] =/out[i] = 1 +/' axpy/kernel.c
asctune run axpy.json --device cpu --problem small --cache hot --jobs 1 --strategy random --patience 3 --budget all --db wrong.db 2>/dev/null | grep '^  patience' | sed 's/[0-9]* trials/N trials/'
# a space or a budget that ends first: the search was not ended
tune --patience 12 --budget all --db all.db 2>/dev/null | grep -c patience
tune --patience 1% --budget 11 --db all.db --json 2>/dev/null | grep -c '"patience":{'
sqlite3 all.db 'select count(*), count(patience_json) from run'
# on recorded results
data="$ROOT/tests/data/replay"
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --strategy genetic --runs 4 --json | grep -o '"evaluations":[0-9.]*\|"best_over_optimum":[0-9.]*' | cut -c1-24
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --strategy genetic --runs 4 --patience 1% --json | grep -o '"evaluations":[0-9.]*\|"best_over_optimum":[0-9.]*' | cut -c1-24
# what it is not
run run --patience 0 "$WORKLOADS/axpy.json"
run run --patience 100% "$WORKLOADS/axpy.json"
run run --patience 1s "$WORKLOADS/axpy.json"
run run --patience 1% --config BLOCK=64 "$WORKLOADS/axpy.json"
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --patience 50 --within 2
