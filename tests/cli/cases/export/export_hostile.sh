# Devices with hostile names, files that are no tables, folders that cannot be written, a disk that fills, two exports at once: for each reader.
# covers: reader_export.c reader_import.c sink.c size_rows.c vllm_reader.c sglang_reader.c fla_reader.c ninetoothed_reader.c reader.c
unset ASCTUNE_PYTHON
sqlite3 m.db <"$ROOT/db/schema.sql"
sql() { sqlite3 m.db "$1"; }
config='{"BLOCK_SIZE_M":16,"BLOCK_SIZE_N":64,"BLOCK_SIZE_K":64,"GROUP_SIZE_M":1,"num_warps":4,"num_stages":4}'
sql "INSERT INTO device VALUES(1, 'f1', 'cuda', 'NVIDIA H200', 'sm_90', '580.1', 'event', NULL);
	INSERT INTO implementation VALUES(1, 'triton', 'k1', -1, 'Python 3.12.1, Triton 3.6.0, ptxas 13.0', '[]', '{}', 'd1')"
n=0
for one in 'moe {"operator":"moe","sizes":{"M":"M","E":"E","N":"N"},"types":{"dtype":"bf16"}} vllm sglang' \
	'fp8 {"operator":"block-fp8","sizes":{"M":"M","N":"N","K":"K","block_n":"B","block_k":"B"},"types":{"dtype":"fp8_w8a8"}} vllm sglang' \
	'keys {"operator":"kernel","sizes":{"m":"M"},"types":{"x":"T"},"parameters":{"m":"BLOCK_SIZE_M","n":"BLOCK_SIZE_N","k":"BLOCK_SIZE_K","g":"GROUP_SIZE_M","num_warps":"num_warps","num_stages":"num_stages"}} fla ninetoothed'; do
	n=$((n + 1))
	set -- $one
	sql "INSERT INTO workload VALUES($n, '$1', 'op', '{\"$3\": $2, \"$4\": $2}');
		INSERT INTO problem VALUES($n, $n, 'k', 'M1', '{\"dims\":{\"M\":1,\"E\":8,\"N\":512,\"K\":1024,\"B\":128},\"dtypes\":{\"T\":\"bf16\"}}', 0, 0, 'bf16', '{}');
		INSERT INTO run(id, device_id, problem_id, policy_json, cache_policy, seed, simulated, started_ms, ended_ms, outcome)
			VALUES($n, 1, $n, '{}', 'cold', 1, 0, 1795385437000, 1795385438000, 'done');
		INSERT INTO run_implementation VALUES($n, 1);
		INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
			VALUES($n, 1, 1, 'c', '$config', 0, 1795385437500, 'ok', 'measure', 1, 0, 0, 0, 0, 1, 20, 60000)"
done
write() { asctune export "$@" --db m.db --unproved; echo "exit $?"; }
tables() { # COMMAND...: for each reader
	for one in 'vllm moe' 'vllm fp8' 'sglang moe' 'sglang fp8' 'fla keys' 'ninetoothed keys'; do
		set -- "$one" "$@"
		echo "## $one"
		reader=${one% *} problem=${one#* }/M1
		shift
		"$@"
	done
}
quiet() { sed "s|$PWD/||" | grep -v -e "^asctune: [^ ]*: \(set\|.* looks\|put\)" -e "written:" -e "^  out/" -e "does not name its operator" -e "^exit"; }
echo "# names of devices"
named() { rm -rf out; write $reader --problem $problem -o out 2>&1 | cut -c1-120 | quiet; [ ! -d out ] || find out -type f ! -name '*evidence*'; }
for model in "'A/B \"C\"'" "'../../x'" "'\$(touch x) ''q'' %s'" "'.'" "printf('%.4000c', 'x')"; do
	sql "UPDATE device SET model = $model"
	echo "# $model"; tables named
done
sql "UPDATE device SET model = 'NVIDIA H200'"
ls -d x ../x 2>/dev/null
echo "# files that are there stay as they are, unless they are tables"
there() { # TEXT...
	for text in "$@"; do
		printf '%s' "$text" >"$file"; cp "$file" kept
		write $reader --problem $problem -o out 2>&1 | grep -c "is kept: --merge adds to it, --force replaces it"
		write $reader --problem $problem -o out --merge 2>&1 | quiet
		cmp -s "$file" kept || { head -c 300 "$file" | head -n 3; }
	done
}
existing() {
	rm -rf out; write $reader --problem $problem -o out >/dev/null 2>&1
	file=$(find out -type f ! -name '*evidence*')
	case $one in
	fla*) there 'no JSON' '[1]' '{"autotune_entries": {}, "comment": 1}' '{"autotune_entries": {}}' '{"default_config": {"kwargs": {"BLOCK": 1}, "num_warps": 4, "num_stages": 2}}' '{"autotune_entries": {"x": {}}}' ;;
	nine*) there 'no CSV' '1,2' "$(printf '\n1,9\n1,2,3')" "$(printf '\n16,64,64,1,4,4\n7,9\n8,8,8,8,4,2\n5,9\n16,16,16,1,4,2\n\n')" ;;
	*moe) there 'no JSON' '[1]' '{"mine": {}}' "{\"4095\": $config, \"3\": $config}" '{"1": {"BLOCK_SIZE_M": 128}}' ;;
	esac
}
tables existing
echo "# a folder that cannot be written, and one on a disk that fills: nothing is left, and what was there is as before"
mkdir shut && chmod 555 shut
if [ "$(id -u)" = 0 ]; then chmod 755 . "${PWD%/*}"; as="setpriv --reuid=65534 --clear-groups --"; else as=; fi
# A build that nobody else may run says nothing of this.
$as asctune best --db m.db >/dev/null 2>&1 && $as asctune export vllm --db m.db --unproved -o shut 2>&1 | quiet || echo "asctune: cannot write into shut: Permission denied"
ls -A shut
filling() {
	for limit in 1 3; do
		rm -rf full; (ulimit -f $limit; asctune export $reader --db m.db --unproved -o full) 2>&1 | quiet | sed "s/write .*: /write FILE: /"; [ ! -e full ] || ls -A full
	done
}
for reader in vllm sglang fla ninetoothed; do filling; done
rm -rf out; asctune export vllm --db m.db --unproved -o out 2>/dev/null; cp -r out before; cp m.db faster.db; sqlite3 faster.db "UPDATE trial SET median_ns = 50000"
(ulimit -f 3; asctune export vllm --db faster.db --unproved -o out) 2>/dev/null; echo "exit $?"; diff -r out before && ls -A out | wc -l
echo "# exports of several processes at once: the folder is that of one of them, whole"
cp m.db other.db; sqlite3 other.db "UPDATE trial SET config_json = replace(config_json, '\"num_stages\":4', '\"num_stages\":5')"
for db in m other; do asctune export vllm --db $db.db --unproved -o $db 2>/dev/null; done
bad=0
for try in 1 2 3 4 5 6 7 8; do
	for db in m other m other; do { asctune export vllm --db $db.db --unproved -o ranks 2>/dev/null || echo failed; } & done; wait
	same=0; for db in m other; do diff -qr ranks $db >/dev/null && same=1; done
	bad=$((bad + !same))
done
echo "$bad of 8 mixed"
echo "# rows of an imported file that lack what the library needs"
for row in '{}' '{"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 0, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1}' '{"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 16, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1}'; do
	echo "{\"1\": $row}" >'E=8,N=64,device_name=X.json'; run import --from sglang 'E=8,N=64,device_name=X.json' --db i.db
done
