# What --explain says for each reader: rows that hold a result, the library's default or an imported row, theirs beside ours, and each result that is left out.
# covers: reader_export.c reader_import.c reader_imported.c reader_set.c
unset ASCTUNE_PYTHON
sqlite3 m.db <"$ROOT/db/schema.sql"
sql() { sqlite3 m.db "$1"; }
sql "INSERT INTO device VALUES(1, 'f1', 'cuda', 'NVIDIA H200', 'sm_90', '580.1', 'event', NULL), (2, 'f2', 'cuda', NULL, 'sm_90', '580.1', 'event', NULL);
	INSERT INTO workload VALUES(1, 'w', 'op', NULL);
	INSERT INTO implementation VALUES(1, 'triton', 'k1', -1, 'Python 3.12.1, Triton 3.6.0, ptxas 13.0', '[]', '{}', 'd1'), (2, 'old', 'k2', -1, 'Python 3.12.1, Triton 3.5.1, ptxas 13.0', '[]', '{}', 'd2'),
		(3, 'c', 'k3', -1, 'nvcc 13.0', '[]', '{}', 'd3')"
n=0
result() { # DEVICE IMPLEMENTATION M POLICY CONFIGURATION
	n=$((n + 1))
	sql "INSERT OR IGNORE INTO problem VALUES($3, 1, 'k$3', 'M$3', '{\"dims\":{\"M\":$3,\"E\":8,\"N\":512,\"K\":1024,\"block_n\":128,\"block_k\":128},\"dtypes\":{\"T\":\"bf16\"}}', 0, 0, 'bf16', '{}');
		INSERT INTO run(id, device_id, problem_id, policy_json, cache_policy, seed, simulated, started_ms, ended_ms, outcome)
			VALUES($n, $1, $3, '{}', '$4', 1, 0, 1795385437000 + $n, 1795385438000 + $n, 'done');
		INSERT INTO run_implementation VALUES($n, $2);
		INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
			VALUES($n, $2, $n, 'c$n', '$5', 0, 1795385437500 + $n, 'ok', 'measure', 1, 0, 0, 0, 0, 1, 20, 60000 + $n)"
}
config() { echo "{\"BLOCK_SIZE_M\":$1,\"BLOCK_SIZE_N\":$2,\"BLOCK_SIZE_K\":$3,\"GROUP_SIZE_M\":1,\"num_warps\":$4,\"num_stages\":$5}"; }
good=$(config 32 64 128 4 3)
result 1 1 4 cold "$good"
result 1 1 4 hot "$good"
result 1 1 16 cold "$(config 256 256 128 8 6)"
result 1 1 20 cold "$(config 32 64 128 3 3)"
result 1 1 24 cold "$(config 48 64 128 4 3)"
result 1 1 28 cold "$(config 32 64 96 4 3)"
result 1 1 30 cold "$(config 16 32 256 4 2)"
result 1 1 31 cold "$(config 32 64 128 64 3)"
result 1 2 32 cold "$good"
result 1 3 40 cold "$good"
result 2 1 48 cold "$good"
names() { sql "UPDATE workload SET export_json = '{\"$1\": {\"operator\": \"$2\"$3}}'"; }
# Those of the ladder that say nothing but that there is no result are left away.
explain() { run export "$@" --db m.db --explain --unproved 2>&1 | grep -v "^  [0-9]*: .*pinned: no result"; }
theirs='{"4": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, "num_warps": 4, "num_stages": 4}}'
fp8='E=8,N=512,device_name=NVIDIA_H200,dtype=fp8_w8a8' block='N=512,K=1024,device_name=NVIDIA_H200,dtype=fp8_w8a8'
for library in vllm sglang; do
	[ $library = vllm ] && shape='[128,128]' || shape='[128, 128]'
	names $library moe ', "sizes": {"M": "M", "E": "E", "N": "N"}, "types": {"dtype": "fp8_w8a8"}'
	echo "# $library:moe"; explain $library
	names $library block-fp8 ', "sizes": {"M": "M", "N": "N", "K": "K", "block_n": "block_n", "block_k": "block_k"}, "types": {"dtype": "fp8_w8a8"}'
	echo "# $library:block-fp8"; explain $library
	echo "# and beside a file of the library's"
	echo "$theirs" >"$block,block_shape=$shape.json"; asctune import --from $library "$block,block_shape=$shape.json" --db m.db
	explain $library --problem M4
	names $library moe ', "sizes": {"M": "M", "E": "E", "N": "N"}, "types": {"dtype": "fp8_w8a8"}'
	echo "$theirs" >"$fp8.json"; asctune import --from $library "$fp8.json" --db m.db
	explain $library --problem M4
done
echo "# a newer version of that file, with fewer rows: the others are of the past"
echo "$theirs" | sed 's/^{"4"/{"64"/' >"$fp8.json"; asctune import --from sglang "$fp8.json" --db m.db; explain sglang --problem M4 | grep imported
names fla kernel ', "sizes": {"m": "M"}, "types": {"x": "T"}'
echo "# fla"; explain fla
mkdir NVIDIA_H200; at='"kwargs": {"BLOCK_SIZE_M": 64}, "num_warps": 4, "num_stages": 3, "num_ctas": 1'
key() { printf '"%s": {"autotune_key": %s, "config": {%s}}' "$(printf '%s' "$1" | md5sum | cut -d' ' -f1)" "$1" "$at"; }
echo "{\"autotune_entries\": {$(key '[4,"torch.bfloat16"]'), $(key '[5,"torch.bfloat16"]')}, \"default_config\": {$at}}" >NVIDIA_H200/kernel.json
asctune import --from fla NVIDIA_H200/kernel.json --db m.db; explain fla --problem M4
names ninetoothed kernel ', "sizes": {"m": "M"}, "types": {"x": "T"}, "parameters": {"m": "BLOCK_SIZE_M", "n": "BLOCK_SIZE_N", "k": "BLOCK_SIZE_K", "g": "GROUP_SIZE_M", "num_warps": "num_warps", "num_stages": "num_stages"}'
echo "# ninetoothed"; explain ninetoothed
