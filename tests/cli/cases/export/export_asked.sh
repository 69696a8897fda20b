# Tables of which the library itself tells the names, Triton's and FlagGems': a program in the place of Python answers. Names, limits, other versions, files that are there.
# covers: reader_ask.c triton_reader.c flaggems_reader.c foreign_rows.c reader_set.c reader_export.c evidence_check.c
sqlite3 m.db <"$ROOT/db/schema.sql"
sql() { sqlite3 m.db "$1"; }
sql "INSERT INTO device VALUES(1, 'f1', 'cuda', 'NVIDIA H200', 'sm_90', '580.1', 'event', NULL), (2, 'f2', 'cuda', 'NVIDIA L4', 'sm_89', '580.1', 'event', NULL), (3, 'f3', 'npu', 'Ascend', 'dav-2201', '1', 'event', NULL);
	INSERT INTO workload VALUES(1, 'add', 'add', '{\"triton\": {\"operator\": \"m:add\", \"types\": {\"x\": \"T\", \"@source\": \"0f\"}}, \"flaggems\": {\"operator\": \"g:add\", \"sizes\": {\"n\": \"n\"}}}');
	INSERT INTO implementation VALUES(1, 'triton', 'k1', -1, 'Python 3.12.1, Triton 3.6.0, ptxas 13.0', '[]', '{}', 'd1')"
# A run on a device of one size, whose best is a configuration.
size() { # RUN DEVICE N CONFIG
	sql "INSERT OR IGNORE INTO problem VALUES($3, 1, 'k$3', 'n$3', '{\"dims\":{\"n\":$3,\"causal\":true},\"dtypes\":{\"T\":\"f16\"}}', 0, 0, 'f16', '{\"n\":\"size\"}');
		INSERT INTO run(id, device_id, problem_id, policy_json, cache_policy, seed, simulated, started_ms, ended_ms, outcome, sure, noise_pct, decided)
			VALUES($1, $2, $3, '{}', 'cold', 1, 0, 1795385437000, 1795385438000 - $1, 'done', 'clear winner', 1, 2);
		INSERT INTO run_implementation VALUES($1, 1);
		INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
			VALUES($1, 1, 1, 'c', '$4', 0, 1795385437500 - $1, 'ok', 'measure', 1, 0, 0, 0, 0, 1, 20, 4800)"
}
size 1 1 64 '{"BLOCK":64,"num_warps":4}'
size 2 1 100 '{"BLOCK":100,"num_warps":6}'
size 3 1 128 '{"TILE":128,"num_warps":4}'
size 4 2 64 '{"BLOCK":32,"num_warps":4}'
size 5 3 64 '{"BLOCK":32,"num_warps":4}'
# The program answers each question by the size in it.
mkdir bin; cat >bin/python <<'END'
#!/bin/sh
at=$(dirname "$0")
for word; do last=$word; done
[ "$last" != where ] || { echo "{\"executable\": \"$0\", \"reads\": [\"$at\"]}"; exit; }
cat "$at/begin"; sep=
for n in $(grep -o '"n":[0-9]*' "$last"); do
	printf '%s' "$sep"; sed "s/@N/${n#*:}/g" "$at/answer"; sep=,
done
echo ']}'
END
chmod +x bin/python; export ASCTUNE_PYTHON="$PWD/bin/python"
echo '{"triton": "3.6.0", "package": "3.6.0", "answers": [' >bin/begin
echo '{"file": "KEY@N/add.autotune.json", "key": [@N, true, "torch.float16"], "names": ["x", "n", "BLOCK", "num_warps"]}' >bin/answer
run export triton --db m.db --explain
run export triton --db m.db -o out; find out -type f | sort; cat out/KEY64/add.autotune.json
run export triton --db m.db -o l4 --set device='NVIDIA L4'; cat l4/KEY64/add.autotune.json
run export --check out --db m.db
run export --check out --db m.db --package $ROOT/tests/data/package/vllm-0.1
# Another name: the kernel has moved, or Triton is another one.
sed -i 's/KEY@N/KEY0@N/' bin/answer; run export --check out --db m.db; sed -i 's/KEY0/KEY/' bin/answer
# A file that Triton wrote is kept, and one that has the same winner is merged.
theirs() { echo "{\"key\": [64, true, \"torch.float16\"], \"configs_timings\": [[{\"kwargs\": {\"BLOCK\": $1}, \"num_warps\": 4, \"num_ctas\": 1, \"num_stages\": 3, \"maxnreg\": null, \"pre_hook\": null}, [0.1, 0.1, 0.1]], [{\"kwargs\": {\"BLOCK\": 512}}, [Infinity, Infinity, Infinity]]]}" >out/KEY64/add.autotune.json; }
theirs 32; run export triton --db m.db -o out --problem n64; run export triton --db m.db -o out --problem n64 --merge
theirs 64; run export triton --db m.db -o out --problem n64 --merge; cat out/KEY64/add.autotune.json
theirs 32; run export triton --db m.db -o out --problem n64 --force; cat out/KEY64/add.autotune.json
run export triton --db m.db -o none --set main=nowhere.py
# A name that leads out of the folder.
cp bin/answer kept; sed -i 's|KEY@N/|../evil/|' bin/answer; run export triton --db m.db -o in/none --problem n64 2>&1 | grep -v L4; ls in evil 2>&1; mv kept bin/answer
# Files of its cache that were imported, under any folder's name: Triton takes them without ours, and so do we where nothing was measured beside them. One is of another kernel of that name.
cached() { mkdir -p "cache/$1"; echo "{\"key\": [$2, true, \"torch.float16\"], \"configs_timings\": [[{\"kwargs\": {$3}, \"num_warps\": $4, \"num_ctas\": 1, \"num_stages\": ${5:-3}, \"maxnreg\": null, \"pre_hook\": null}, [0.1, 0.1, 0.1]]]}" >"cache/$1/add.autotune.json"; }
cp m.db i.db; cached A 64 '"BLOCK": 32' 4; cached B 128 '"SIZE": 8' 4; cached C 7 '"BLOCK": 16' 4; cached D 64 '"BLOCK": 16' 6
cp bin/answer kept; sed -i 's/"num_warps"\]/"num_warps", "num_ctas", "num_stages", "maxnreg"]/' bin/answer
mv cache/D .; run import --from triton cache --db i.db
sqlite3 i.db "UPDATE trial SET config_json = '{\"BLOCK\":128,\"num_warps\":4}' WHERE run_id = 3"
theirs() { run export triton --db i.db --explain "$@" 2>&1 | grep -v '^left out'; }
theirs; theirs --unproved; run export triton --db i.db -o mine --problem n64
samples() { python3 -c 'import sys; v = 2 * int(sys.argv[1]); out = ""
while v > 127: out += "%02X" % (v % 128 + 128); v //= 128
print(out + "%02X" % v + "00" * 19)' "$1"; }
rounds() { # NS_OURS NS_THEIRS: of the first run
	sqlite3 i.db "DELETE FROM final; DELETE FROM trial WHERE config_hash = 2; UPDATE trial SET config_key = 'BLOCK=64,num_warps=4' WHERE run_id = 1;
		INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
			VALUES(1, 1, 2, 'BLOCK=32,num_warps=4', '{\"BLOCK\":32,\"num_warps\":4}', 0, 1795385437000, 'ok', 'measure', 1, 0, 0, 0, 0, 1, 20, $2);
		INSERT INTO final(run_id, implementation_id, config_hash, config_key, tied, winner, ratio, n_samples, median_ns, standing, samples)
			VALUES(1, 1, 1, 'BLOCK=64,num_warps=4', 1, 1, 1, 20, $1, 'tied', x'$(samples $1)'), (1, 1, 2, 'BLOCK=32,num_warps=4', 0, 0, $2.0 / $1, 20, $2, 'slower', x'$(samples $2)')"
}
rounds 4800 5000; theirs --problem n64; rounds 4800 4810; theirs --problem n64
rounds 4800 5000; run export triton --db i.db -o mine --problem n64; find mine -name '*.autotune.json' -exec cat {} +; run export --check mine --db i.db
# What Triton launches, as results have it: options that it takes by itself are not written there. Later, a file that Triton cannot launch.
cached A 64 '"BLOCK": 64' 4; run import --from triton cache --db i.db; theirs --problem n64
cached A 64 '"BLOCK": 64' 4 2; run import --from triton cache --db i.db; theirs --problem n64
mv D cache; run import cache/D/add.autotune.json --db i.db; theirs --problem n64; mv kept bin/answer
# Nothing that can be asked, or that answers.
echo '{"why": "Triton keeps no result where a configuration has a pre_hook"}' >bin/answer; run export triton --db m.db -o none --problem n64
run export triton --db m.db -o none --set triton=3.4.0
echo '{"triton": "3.4.0", "package": "3.4.0", "answers": [' >bin/begin; run export triton --db m.db -o none
echo '{"absent": "/usr/bin/python3 has no module triton", "x": [' >bin/begin; echo 1 >bin/answer; run export triton --db m.db -o none
run export --check out --db m.db
run export --check out --db m.db --python $PWD/bin/python
echo '{"error": "it is torn", "x": [' >bin/begin; run export triton --db m.db -o none 2>&1 | sed "s|$PWD|HERE|g"
echo 'not JSON' >bin/begin; run export triton --db m.db -o none 2>&1 | sed "s|$PWD|HERE|g"
echo '{"triton": "3.6.0", "package": "5.0.2", "answers": [], "x": [' >bin/begin; run export triton --db m.db -o none 2>&1 | sed "s|$PWD|HERE|g"
(export ASCTUNE_PYTHON=/nowhere/python; run export triton --db m.db -o none)
ls none 2>&1
# A torch that fails as it is imported: libraries of CUDA are missing.
mkdir -p site/triton site/torch; echo '__version__ = "3.6.0"' >site/triton/__init__.py; echo 'raise OSError("libcudart.so.12: cannot open shared object file")' >site/torch/__init__.py
(export ASCTUNE_PYTHON=python3 PYTHONPATH=$PWD/site; for what in 'triton -o none' '--check out' "--check out --python $(command -v python3)"; do run export $what --db m.db 2>&1 | sed 's|: /[^ ]* cannot import|: PYTHON cannot import|'; done)
# FlagGems' rows: two tables in a file, one of them with a hook, whose rows have to be in the kernel's list.
echo '{"triton": "3.6.0", "package": "5.0.2", "answers": [' >bin/begin
echo '{"file": "config_cache/T.db", "table": "add_@N", "key": [@N, "torch.float16"], "names": ["BLOCK", "num_warps", "num_ctas", "num_stages"], "listed": null}' >bin/answer
# Two GPUs whose files have one name; then one of them.
for which in '' 'device=NVIDIA L4'; do run export flaggems --db m.db --problem add/n64 --explain ${which:+--set "$which"}; done
sql "DELETE FROM trial WHERE run_id = 4; UPDATE trial SET config_json = '{\"BLOCK\":100,\"num_warps\":4,\"num_stages\":2}' WHERE run_id = 2"
run export flaggems --db m.db --explain
run export flaggems --db m.db -o gems --problem add/n64
run export flaggems --db m.db -o gems; sqlite3 gems/config_cache/T.db .dump | grep -v PRAGMA
run export --check gems --db m.db
sed -i 's/add_@N/add2_@N/' bin/answer; run export --check gems --db m.db; sed -i 's/add2_/add_/' bin/answer
sqlite3 gems/config_cache/T.db "CREATE TABLE 'mul_1'(key_0 INTEGER NOT NULL PRIMARY KEY, BLOCK INTEGER NOT NULL); INSERT INTO mul_1 VALUES(7, 8); CREATE TABLE times(key_0 INTEGER, BLOCK INTEGER, p50 FLOAT, PRIMARY KEY(key_0, BLOCK)); INSERT INTO times VALUES(1, 2, 0.5)"
run export flaggems --db m.db -o gems; run export flaggems --db m.db -o gems --merge; sqlite3 gems/config_cache/T.db 'SELECT * FROM mul_1; SELECT * FROM times; SELECT * FROM add_64'
run export --check gems --db m.db
sqlite3 gems/config_cache/T.db "UPDATE add_64 SET BLOCK = 32"; run export --check gems --db m.db; run export flaggems --db m.db -o gems --merge
sqlite3 gems/config_cache/T.db "DROP TABLE add_64; CREATE TABLE add_64(key_0 INTEGER, key_1 VARCHAR, OTHER INTEGER, PRIMARY KEY(key_0, key_1))"; run export flaggems --db m.db -o gems --merge
truncate -s 5000 gems/config_cache/T.db; run export flaggems --db m.db -o gems --merge; run export flaggems --db m.db -o gems --force
sed -i 's/"listed": null/"listed": [{"BLOCK": 64, "num_warps": 4, "num_ctas": 1, "num_stages": 3}]/' bin/answer; run export flaggems --db m.db --explain
run export flaggems --db m.db -o none --set version=5.0.1; ls none 2>&1
