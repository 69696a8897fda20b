# Tables that vLLM and SGLang read themselves: rows that hold a result, rows that hold the library's default, what is left out, files that are there, stale tables.
# covers: reader_export.c reader_set.c reader_import.c reader_imported.c query_earlier.c evidence.c evidence_check.c cmd_export.c cmd_import.c
unset ASCTUNE_PYTHON
mkdir -p python/triton; echo '__version__ = "3.6.0"' >python/triton/__init__.py; export PYTHONPATH="$PWD/python"
sqlite3 m.db <"$ROOT/db/schema.sql"
sql() { sqlite3 m.db "$1"; }
sql "INSERT INTO device VALUES(1, 'f1', 'cuda', 'NVIDIA H100 80GB HBM3', 'sm_90', '580.1', 'event', NULL);
	INSERT INTO workload VALUES(1, 'moe', 'moe', NULL);
	INSERT INTO implementation VALUES(1, 'triton', 'k1', -1, 'Python 3.12.1, Triton 3.6.0, ptxas 13.0', '[]', '{}', 'd1')"
names() { sql "UPDATE workload SET export_json = '{\"vllm\": $1, \"sglang\": $1}'"; }
names '{"operator": "moe", "types": {"dtype": "T"}}'
# A run of one size with two configurations in its finals: the default, which is vLLM's own where nothing else is said, and another.
keys() { echo "$1" | tr -d '{"}' | tr : =; }
# Twenty samples of one time, as databases hold them: differences as varints, twice the first one's value.
samples() { python3 -c 'import sys; v = 2 * int(sys.argv[1]); out = ""
while v > 127: out += "%02X" % (v % 128 + 128); v //= 128
print(out + "%02X" % v + "00" * 19)' "$1"; }
size() { # M WINNER DEFAULT NS_WINNER NS_DEFAULT STANDING
	sql "INSERT INTO problem VALUES($1, 1, 'k$1', 'n.M$1', '{\"dims\":{\"M\":$1,\"E\":8,\"N\":3584,\"K\":4096},\"dtypes\":{\"T\":\"bf16\"}}', 0, 0, 'bf16', '{\"M\":\"size\",\"E\":\"size\",\"N\":\"size\",\"K\":\"size\"}');
		INSERT INTO run(id, device_id, problem_id, policy_json, cache_policy, seed, simulated, started_ms, ended_ms, outcome, sure, noise_pct, decided)
			VALUES($1, 1, $1, '{}', 'cold', 1, 0, 1795385437000 + $1, 1795385438000 + $1, 'done', 'clear winner', 1, 2);
		INSERT INTO run_implementation VALUES($1, 1);"
	n=0
	for one in "$2" "$3"; do
		n=$((n + 1))
		[ $n = 1 ] && ns=$4 standing=tied || ns=$5 standing=$6
		[ $n = 1 ] || [ "$2" != "$3" ] || continue
		sql "INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
			VALUES($1, 1, $n, '$(keys "$one")', '$one', $n - 1, 1795385437500 + $1, 'ok', 'measure', 1, 0, 0, 0, 0, 1, 20, $ns);
			INSERT INTO final(run_id, implementation_id, config_hash, config_key, tied, winner, ratio, n_samples, median_ns, standing, samples)
			VALUES($1, 1, $n, '$(keys "$one")', $((n == 1)), $((n == 1)), $ns.0 / $4, 20, $ns, '$standing', x'$(samples $ns)')"
	done
}
config() { echo "{\"BLOCK_SIZE_K\":$3,\"BLOCK_SIZE_M\":$1,\"BLOCK_SIZE_N\":$2,\"GROUP_SIZE_M\":$4,\"num_stages\":$6,\"num_warps\":$5}"; }
ours=$(config 16 128 64 1 4 5)
size 1 "$ours" "$(config 16 64 128 1 4 4)" 60000 80000 slower
size 16 "$ours" "$(config 16 64 128 1 4 4)" 61000 61100 tied
size 48 "$ours" "$(config 64 64 64 1 4 3)" 62000 90000 slower
size 64 "$(config 32 64 128 1 4 3)" "$(config 32 64 128 1 4 3)" 70000 70000 tied
size 512 "$(config 256 256 256 1 8 5)" "$(config 64 128 64 1 8 3)" 90000 95000 slower
run list readers
run export vllm --db m.db --explain
# What was not measured beside that is the library's own, but for --unproved; the evidence says it.
run export vllm --db m.db --explain --unproved | grep -v "no result"
run export vllm --db m.db -o unproved --unproved
run export json --db m.db --unproved
run export vllm --db m.db -o out
ls out; cat out/E*3.json
python3 - out/*.evidence.json <<'END'
import json, sys
e = json.load(open(sys.argv[1]))
print(e["reader"], e["triton"], [(r["problem"], r["sizes"]["M"], r["types"], r["library_default"] and round(r["library_default"]["ratio"], 2)) for r in e["rows"]])
print(e["pinned"][:3], e["left_out"])
for path in sorted(__import__("glob").glob("*/*.evidence.json")): print(path.split("/")[0], [(k, len(json.load(open(path))[k]) if k != "proved" else json.load(open(path))[k]) for k in ("proved", "pinned", "unproved")])
END
sql "DELETE FROM final WHERE run_id = 512; DELETE FROM trial WHERE run_id = 512"
run export sglang --db m.db --explain; run export sglang --db m.db --explain --unproved | head -n 8
run export sglang --db m.db -o sglang --unproved; find sglang -type f
# Stale: nothing; another name, a file that was changed, a newer Triton.
run export --check out --db m.db
run export --check sglang --db m.db
cp -r out moved; for f in moved/*; do mv "$f" "$(echo "$f" | sed s/80GB_//)"; done
run export --check moved --db m.db
cp -r out edited; sed -i 's/"32":{"BLOCK_SIZE_M":16/"32":{"BLOCK_SIZE_M":32/' edited/E*3.json
run export --check edited/E*3.json --db m.db
cp m.db kept.db; sql "UPDATE implementation SET toolchain = 'Python 3.12.1, Triton 3.7.0, ptxas 13.0'"; run export --check out --db m.db; cp kept.db m.db
# A file that asctune wrote is replaced; one that was edited, or is somebody else's, is kept, and may be merged.
run export vllm --db m.db -o out
run export vllm --db m.db -o edited
run export vllm --db m.db -o edited --merge
into() { rm -rf theirs; mkdir theirs; echo "$1" >"theirs/E=8,N=3584,device_name=NVIDIA_H100_80GB_HBM3.json"; run export vllm --db m.db -o theirs --merge; cat theirs/E*3.json | head -n "${2:-3}"; ls theirs | wc -l; }
into '{"5000": {"BLOCK_SIZE_M": 128}, "40": {"BLOCK_SIZE_M": 16, "USE_TMA": true}}' 30
run export vllm --db m.db -o theirs --merge; run export --check theirs --db m.db
into 'not JSON'
into '{"comment": "mine", "1": {}}'
into '{"triton_version": "3.1.0", "5000": {}}'
into '[]'
into '{"1": {"BLOCK_SIZE_M": 64}}'
run export vllm --db m.db -o theirs --force; cmp theirs/E*3.json out/E*3.json && echo replaced
# Another layer of the same E and N, whose rounds say nothing of the first one: of that the result at 16 is not shown faster.
sql "INSERT INTO workload SELECT 2, 'other', operator, export_json FROM workload;
	INSERT INTO problem SELECT 1016, 2, 'o16', name, replace(dims_json, '\"K\":4096', '\"K\":8192'), flops, bytes, element, kinds_json FROM problem WHERE id = 16;
	INSERT INTO run(id, device_id, problem_id, policy_json, cache_policy, seed, simulated, started_ms, ended_ms, outcome, sure, noise_pct, decided)
		SELECT 1016, device_id, 1016, policy_json, cache_policy, seed, simulated, started_ms + 9, ended_ms + 9, outcome, sure, noise_pct, decided FROM run WHERE id = 16;
	INSERT INTO run_implementation VALUES(1016, 1);
	INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
		SELECT 1016, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms + 9, status, phase, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, iif(is_default, 60000, 40000) FROM trial WHERE run_id = 16;
	INSERT INTO final(run_id, implementation_id, config_hash, config_key, tied, winner, ratio, n_samples, median_ns, standing, samples)
		SELECT 1016, implementation_id, config_hash, config_key, winner, winner, iif(winner, 1, 1.5), n_samples, iif(winner, 40000, 60000), iif(winner, 'tied', 'slower'), iif(winner, x'$(samples 40000)', x'$(samples 60000)') FROM final WHERE run_id = 16"
for one in moe other; do asctune export vllm --db m.db --explain --problem $one/n.M16 | sed -n "s/^  16: .*stages=[0-9]: /$one: /p"; done
cp kept.db m.db
# Names that are missing, or of others.
names '{"operator": "moe"}'; run export vllm --db m.db -o none
names '{"operator": "lora", "types": {"dtype": "T"}}'; run export vllm --db m.db -o none --problem n.M1
names '{"operator": "moe", "types": {"dtype": "T"}, "parameters": {"BLOCK_SIZE_M": "BLOCK_M"}}'; run export vllm --db m.db -o none --problem n.M1
names '{"operator": "moe", "types": {"dtype": "T"}, "sizes": {"M": "M", "N": "N"}}'; run export vllm --db m.db -o none --problem n.M1
names '{"operator": "moe", "types": {"dtype": "T"}}'
sql "UPDATE implementation SET toolchain = '/usr/bin/nvcc 13.0'"; run export vllm --db m.db -o none --problem n.M1; cp kept.db m.db
sql "UPDATE device SET model = 'AMD \"x\"/OAM'"; run export sglang --db m.db -o none --problem n.M1; run export vllm --db m.db -o hostile --problem n.M1; ls hostile; cp kept.db m.db
sql "UPDATE device SET model = printf('%.4000c', 'x')"; run export vllm --db m.db -o none --problem n.M1 2>&1 | cut -c1-240; cp kept.db m.db
ls none 2>&1
# No result is faster: no table.
run export vllm --db m.db -o idle --problem n.M16; run export vllm --db m.db --explain --problem n.M16; ls idle
# What cannot be.
run export vllm --db m.db --explain -o out
run export json --db m.db --explain
run export vllm --db m.db -o /proc/nowhere
# A table that a library ships comes in as configurations: an explanation shows what it takes for the same size.
shipped="E=8,N=3584,device_name=NVIDIA_H100_80GB_HBM3.json"
echo '{"1": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 5}, "64": {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, "num_warps": 4, "num_stages": 4}}' >"$shipped"
run import "$shipped" --db m.db; run import "$shipped" --db m.db
run export vllm --db m.db --explain --unproved | grep -A 1 '^  \(1\|32\|33\|64\): '
run import --from sglang "$shipped" --db m.db; run export sglang --db m.db --explain --unproved | grep -c imported
cp "$shipped" other.json; run import other.json --db m.db; run import --from vllm other.json --db m.db
echo '{"x": {}}' >"$shipped"; run import --from vllm "$shipped" --db m.db
echo '{}' >"$shipped"; run import "$shipped" --db m.db
run import fla/*/missing.json --db m.db
cp kept.db m.db
# flash-linear-attention finds entries by exact keys: sizes and types in the order in which the kernel has them; all else gets the configuration of most.
sql "UPDATE workload SET export_json = '{\"fla\": {\"operator\": \"chunk_fwd_kernel\", \"sizes\": {\"n\": \"M\", \"d\": \"K\"}, \"types\": {\"x\": \"T\", \"y\": \"T\"}}}'"
run export fla --db m.db --explain
run export fla --db m.db -o fla; (cd fla; find . -type f); cat fla/*/chunk_fwd_kernel.json
run export --check fla --db m.db
cp m.db imported.db; run import fla/*/chunk_fwd_kernel.json --db imported.db; run export fla --db imported.db --explain | grep -c imported
into() { echo "$1" >fla/NVIDIA_H100_80GB_HBM3/chunk_fwd_kernel.json; run export fla --db m.db -o fla --merge; }
into '{"autotune_entries": {"9b264f7a3d69a4d3335fb7b43eb133e4": {"autotune_key": [7], "config": {"kwargs": {"BLOCK": 64}, "num_warps": 4, "num_stages": 3, "num_ctas": 1}}}}'
grep -c BLOCK fla/*/chunk_fwd_kernel.json; run export --check fla --db m.db
into '{"autotune_entries": {"00": {"autotune_key": [7], "config": {}}}}'
sql "UPDATE workload SET export_json = replace(export_json, 'chunk_fwd_kernel', '../x')"; run export fla --db m.db -o fla --problem n.M1
# NineToothed's CSV: arguments of premake as integers, values in the order of "parameters".
nine() { sql "UPDATE workload SET export_json = '{\"ninetoothed\": {\"operator\": \"moe_gemm\", \"sizes\": {\"m\": \"M\"}, \"types\": {\"input\": \"T\"}, \"parameters\": {\"block_m\": \"BLOCK_SIZE_M\", \"block_n\": \"BLOCK_SIZE_N\", \"num_warps\": \"num_warps\"$1}}}'"; }
nine; run export ninetoothed --db m.db -o nine --problem n.M1
nine ', "block_k": "BLOCK_SIZE_K", "group": "GROUP_SIZE_M", "num_stages": "num_stages"'
run export ninetoothed --db m.db -o nine; cat nine/*/moe_gemm.csv
run export --check nine --db m.db
run export ninetoothed --db m.db -o later --set version=0.27.0; run export ninetoothed --db m.db --explain --set version=0.26
run export ninetoothed --db m.db --explain | head -n 2
printf '\n512\n7\n' >nine/NVIDIA_H100_80GB_HBM3/moe_gemm.csv; run export ninetoothed --db m.db -o nine --merge; run export --check nine --db m.db
