#!/bin/sh
# Files of a cache that Triton's own autotuner has written (readers/triton_tunes.py) come in: a search tries them first, and an export of files for Triton has them beside
# results, by the key that Triton tells. Needs Triton alone.
# covers: cmd_import.c reader_import.c reader_imported.c triton_reader.c
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
python=${ASCTUNE_PYTHON:-python3}
if ! "$python" -c 'import triton' 2>/dev/null; then
	echo "1..0 # SKIP $python has no Triton: ci/setup triton prints one that has"
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-import.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
unset ASCTUNE_DB ASCTUNE_DEBUG TRITON_CACHE_AUTOTUNING
export ASCTUNE_CACHE_DIR="$work/built" TRITON_CACHE_DIR="$work/cache" PYTHONPATH="$root/tests/consumers:$root/tests/consumers/readers/asked" ASCTUNE_PYTHON="$python"
n=0
check() { # WHAT WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || printf 'not ok %s - %s\n# wanted: %s\n# have: %s\n' "$n" "$1" "$2" "$3"
}
"$python" "$root/tests/consumers/readers/triton_tunes.py" 1000 1024 >log 2>&1
check "Triton tunes two sizes, and keeps what it has found" "0 2" "$? $(find cache -name 'axpy.autotune.json' | wc -l)"
check "a configuration had no room, whose times no JSON has a word for" 2 "$(cat cache/*/axpy.autotune.json | grep -o 'Infinity, Infinity, Infinity\]\]\]' | wc -l)"
check "the folder comes in" "cache: 2 configurations recorded, without times" "$("$build/asctune" import --from triton cache --db t.db 2>&1)"
check "a second time it is known" "cache: 0 configurations recorded, without times; 2 recorded before" "$("$build/asctune" import --from triton cache --db t.db 2>&1)"
check "a file is known by its name, too" 0 "$("$build/asctune" import cache/*/axpy.autotune.json --db other.db >log 2>&1; echo $?)"

cp -r "$root/tests/cli/workloads/axpy" .
names='"triton": {"operator": "asked_kernels:axpy", "sizes": {"N": "N"}, "types": {"x": "T", "y": "T", "out": "T", "@source": "0f"}}'
sed "s/\"export\": {/&$names, /" "$root/tests/cli/workloads/axpy.json" >axpy.json
tried() { # DB OPTION...: what a run measures behind the default
	db=$1
	shift
	"$build/asctune" run axpy.json --device cpu --cache hot --problem small "$@" --budget 3 --seed 5 --db "$db" >log 2>&1 || cat log
	sqlite3 "$db" "SELECT config_key FROM trial WHERE run_id = (SELECT max(id) FROM run) ORDER BY id LIMIT 1 OFFSET 1"
}
check "a search tries it first" BLOCK=64,THREADS=2,UNROLL=1 "$(cp t.db fresh.db; tried t.db)"
check "and it takes part in finals" 1 "$(sqlite3 t.db "SELECT count(*) FROM final WHERE config_key = 'BLOCK=64,THREADS=2,UNROLL=1'")"
other=$(tried fresh.db --dims N=1001)
check "another size is another key" 1 "$([ -n "$other" ] && [ "$other" != BLOCK=64,THREADS=2,UNROLL=1 ] && echo 1)"

# A result of a GPU; its time is made up.
sqlite3 g.db <"$root/db/schema.sql"
"$build/asctune" import --from triton cache --db g.db 2>log
sqlite3 g.db "INSERT INTO device VALUES(100, 'f', 'cuda', 'NVIDIA H100', 'sm_90', '580.1', 'event', NULL);
	INSERT INTO workload VALUES(100, 'axpy', 'axpy', '{$(echo "$names" | sed 's/, "@source": "0f"//')}');
	INSERT INTO implementation VALUES(100, 'triton', 'k', -1, 'Python 3, Triton $("$python" -c 'import triton; print(triton.__version__)'), ptxas 13.0', '[]', '{}', 'd');
	INSERT INTO problem VALUES(100, 100, 'k', 'small', '{\"dims\":{\"N\":1000},\"dtypes\":{\"T\":\"f32\"}}', 0, 0, 'f32', '{\"N\":\"size\"}');
	INSERT INTO run(id, device_id, problem_id, policy_json, cache_policy, seed, simulated, started_ms, ended_ms, outcome, sure, noise_pct, decided)
		VALUES(100, 100, 100, '{}', 'cold', 1, 0, 1795385437000, 1795385438000, 'done', 'clear winner', 1, 2);
	INSERT INTO run_implementation VALUES(100, 100);
	INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
		VALUES(100, 100, 1, 'BLOCK=256,THREADS=2,UNROLL=2', '{\"BLOCK\":256,\"THREADS\":2,\"UNROLL\":2}', 0, 1795385437500, 'ok', 'measure', 1, 0, 0, 0, 0, 1, 20, 4800)"
key='\[1000,"torch.float32","torch.float32","torch.float32"\]'
"$build/asctune" export triton --explain --db g.db >explained 2>&1
check "Triton tells the key of the file that it wrote: what it has is the answer where nothing was measured beside it" 1 \
	"$(grep -c "^  $key: BLOCK=64, UNROLL=1, THREADS=2: pinned: the result was not measured beside it: BLOCK=256, THREADS=2, UNROLL=2$" explained)"
[ "$(grep -c pinned explained)" = 1 ] || sed 's/^/# /' explained
check "under the name that it has in the cache" 1 "$(ls "cache/$(sed -n 's/: triton, .*//p' explained)" 2>&1 | grep -c '^cache/[A-Z0-9]*/axpy.autotune.json$')"
"$build/asctune" export triton --explain --unproved --db g.db >explained 2>&1
check "theirs stands beside ours" "1 1" "$(grep -c "^  $key: BLOCK=256, THREADS=2, UNROLL=2: unproved" explained) $(grep -c "^    imported, row $key: BLOCK=64, UNROLL=1, THREADS=2, num_warps=4, num_ctas=1, num_stages=3$" explained)"
echo "1..$n"
