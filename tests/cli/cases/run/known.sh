# asctune run --known: what another database has on record is measured first and takes part in finals, however slow it is here.
# covers: run_known.c reader_imported.c query_earlier.c
ASCTUNE_CACHE_DIR="$PWD/cache"; export ASCTUNE_CACHE_DIR
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
tune() { run run axpy.json --device cpu --cache hot --problem small "$@" >/dev/null 2>said; }
asctune run axpy.json --device cpu --cache hot --problem small --config BLOCK=64,THREADS=2 --db known.db >/dev/null 2>said || cat said
sqlite3 known.db "update run set strategy = 'random'"
tune --budget 3 --seed 5 --known known.db --db night.db
grep known said
sqlite3 night.db "select id, config_key, status, is_default from trial where id <= 2; select config_key from final where config_key like '%THREADS=2%'"
sqlite3 known.db 'select count(*) from run' # only read
tune --budget 2 --known missing.db --db other.db
cat said
echo rubbish >rubbish.db
tune --budget 2 --known rubbish.db --db other.db
grep known said
tune --config BLOCK=64 --known known.db --db other.db
cat said
# A row of a library's table that was imported is measured first, too.
tabled='{"autotune_entries": {}, "default_config": {"kwargs": {"SIZE": 256, "UNROLL": 4, "THREADS": 2}, "num_warps": 4, "num_stages": 3, "num_ctas": 1}}'
echo "$tabled" >axpy_kernel.json; run import axpy_kernel.json --db table.db
sed 's/"export": {/&"fla": {"operator": "axpy_kernel", "sizes": {"n": "N"}, "types": {"x": "T"}, "parameters": {"SIZE": "BLOCK"}}, /' axpy.json >tabled.json
asctune run tabled.json --device cpu --cache hot --problem small --budget 3 --seed 5 --db table.db >/dev/null 2>said || cat said
sqlite3 table.db "select config_key, status, is_default from trial where run_id = 2 order by id limit 2; select config_key from final where config_key like '%THREADS=2,UNROLL=4'"
asctune run tabled.json --device cpu --cache hot --problem small --budget 1 --seed 5 --no-history --db table.db >/dev/null 2>said || cat said
sqlite3 table.db "select config_key from trial where run_id = 3 order by id limit 2"
