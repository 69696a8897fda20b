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
# What Triton's own autotuner has found, by kernel and key: each of these files is of another size, kernel or space, but for the last.
file() { mkdir -p "cache/$1"; echo "{\"key\": $3, \"configs_timings\": [[{\"kwargs\": {\"SIZE\": $4, \"UNROLL\": 4, \"THREADS\": 2}, \"num_warps\": 4, \"num_ctas\": 1, \"num_stages\": 3, \"maxnreg\": null, \"pre_hook\": null}, [0.1, 0.1, 0.1]]]}" >"cache/$1/$2.autotune.json"; }
second() { asctune import --from triton cache --db $1; asctune run cached.json --device cpu --cache hot --problem small --budget 2 --seed 5 --db $1 >/dev/null 2>said || cat said; sqlite3 $1 "select config_key from trial where not is_default and run_id = (select max(id) from run) order by id limit 1"; }
sed 's/"export": {/&"triton": {"operator": "ops:axpy_kernel", "sizes": {"n": "N"}, "types": {"x": "T"}, "parameters": {"SIZE": "BLOCK"}}, /' axpy.json >cached.json
file A axpy_kernel '[1001, "torch.float32"]' 256; file B other_kernel '[1000, "torch.float32"]' 256; file C axpy_kernel '[1000, "torch.float16"]' 256; file D axpy_kernel '[1000, "torch.float32"]' 999
second none.db | tail -n 1 | grep -c UNROLL=4
file D axpy_kernel '[1000, "torch.float32"]' 256; second one.db
# On a full disk a reader has a database for itself: results do not wait for it where they go to the same file, nor does a second device.
mkdir small; full='asctune: small/night.db: no space left on its disk
exit 2
2 trials'
unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs small' 2>/dev/null && full=$(unshare -m sh -c 'mount -t tmpfs -o size=1m,mode=700 tmpfs small && cp night.db small && cat /dev/zero >small/rest 2>/dev/null
	tune() { timeout 60 asctune run axpy.json --cache hot --problem small --budget 2 --known small/night.db "$@" 2>&1; }
	tune --device cpu --db small/night.db; echo "exit $?"
	ASCTUNE_DEVICE_TWICE=1 tune --device cpu,cpu --db twice.db >/dev/null; sqlite3 twice.db "select count(*) || '"' trials'"' from trial"' | sed '/^cpu: /d')
echo "$full"
