# Few configurations for all problems of a kernel, each where it was measured; when rows of such a table are stale; what is refused.
# covers: dispatch_cover.c evidence_check.c
asctune run "$ROOT/tests/cli/workloads/axpy.json" --problem small --problem large --device cpu --strategy exhaustive --budget all --repeats 3 --db c.db >/dev/null 2>&1
# Each problem has a best of its own, a third configuration is 4 % behind both.
sqlite3 c.db "UPDATE trial SET median_ns = CASE WHEN is_default THEN 120 WHEN config_key = 'BLOCK=256,THREADS=1,UNROLL=2' THEN 104
	WHEN config_key = iif(run_id = 1, 'BLOCK=64,THREADS=1,UNROLL=1', 'BLOCK=1024,THREADS=1,UNROLL=4') THEN 100 ELSE 300 END"
keys() { grep -o '"\(problem\|config_key\|median_ns\|in_place_of\)": *[^{,]*\(,[A-Z][^"]*"\)*' "$1"; }
cover() { run export "$@" --db c.db 2>&1 | sed 's/ on .*, cold/ on X, cold/'; }
cover json --cover 3% -o two; keys two/best.json
cover json --cover 5% -o one; keys one/best.json
cover c-header --cover 5% -o table; keys table/*.evidence.json
# A finalist's time is that of the finals, which begin with the default: slower than that it serves nothing.
cp c.db kept.db
sqlite3 c.db "INSERT INTO final (run_id, implementation_id, config_hash, config_key, tied, winner, ratio, n_samples, median_ns, standing)
	SELECT run_id, implementation_id, config_hash, config_key, 0, 0, 1.3, 3, 130, 'slower' FROM trial WHERE run_id = 1 AND config_key = 'BLOCK=256,THREADS=1,UNROLL=2'"
cover json --cover 5% -o finals; keys finals/best.json
# Where finals were held, a configuration that took no part in them serves nothing, however fast it was alone.
cp kept.db c.db
sqlite3 c.db "UPDATE run SET decided = 2, sure = 'clear winner'; UPDATE trial SET median_ns = 101 WHERE config_key = 'BLOCK=256,THREADS=2,UNROLL=1';
	INSERT INTO final (run_id, implementation_id, config_hash, config_key, tied, winner, ratio, n_samples, median_ns, standing)
	SELECT run_id, implementation_id, config_hash, config_key, 0, median_ns = 100, median_ns / 100, 3, median_ns, iif(median_ns = 100, 'tied', 'slower') FROM trial WHERE median_ns IN (100, 104, 120)"
cover json --cover 5% -o rounds; keys rounds/best.json
# What serves in the place of a best that is slower than the default is not stale for that; the default itself serves here.
sqlite3 c.db "UPDATE final SET median_ns = 90 WHERE run_id = 1 AND median_ns = 120"
cover c-header --cover 5% -o served; keys served/*.evidence.json
run export --check served --db c.db
mv kept.db c.db
# A row is stale when the best whose place it has is another.
run export --check table --db c.db
sqlite3 c.db "UPDATE trial SET median_ns = 90 WHERE run_id = 1 AND config_key = 'BLOCK=1024,THREADS=1,UNROLL=1'"
run export --check table --db c.db
run export json --db c.db --cover 101% -o out
run export json --db c.db --cover few -o out
run export csv --db c.db --cover 5% -o out
run export infiniops --db c.db --cover 5% --simulated -o out
ls out 2>&1
