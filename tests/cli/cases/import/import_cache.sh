# A folder of Triton's cache: what is launched of each file comes in, the oldest first; what is no such file, or cannot be had, is named and left out.
# covers: cmd_import.c reader_import.c triton_reader.c query_earlier.c
entry() { printf '[{"kwargs": {"BLOCK": %s}, "num_warps": %s, "num_ctas": 1, "num_stages": 3, "maxnreg": null, "pre_hook": null, "ir_override": null}, %s]' "$1" "$2" "$3"; }
file() { # PATH KEY ENTRY...
	mkdir -p "$(dirname "$1")"
	printf '{"key": %s, "configs_timings": [%s' "$2" "$3" >"$1"
	path=$1
	shift 3
	for one; do printf ', %s' "$one" >>"$path"; done
	printf ']}' >>"$path"
}
inf='[Infinity, Infinity, Infinity]'
rows() { sqlite3 "$1" "SELECT problem.name, config_json, status, median_ns FROM trial JOIN run ON run.id = run_id JOIN problem ON problem.id = problem_id ORDER BY trial.id"; }
file good/A/add.autotune.json '[64, true, "torch.float16"]' "$(entry 32 4 "$inf")" "$(entry 64 8 '[0.2, 0.2, 0.3]')" "$(entry 128 8 '[0.1, 0.1, 0.3]')"
file good/B/add.autotune.json '[128, true, "torch.float16"]' "$(entry 32 4 0.5)" "$(entry 16 4 0.25)"
echo '{"n_regs": 32}' >good/A/add.json; ln -s .. good/A/loop; ln -s ../B/add.autotune.json good/A/link.autotune.json; mkdir good/tmp
same_age() { find "$@" -type f -exec touch -d 2020-01-01 {} +; } # else they come in by their age
same_age good; run import --from triton good --db good.db; rows good.db
run import --from triton good/ --db good.db; run import good/B/add.autotune.json --db good.db
run best --db good.db
# Of two files of a kernel and key, as two versions of Triton have left them, the newer one counts, whatever their folders are called.
file two/Z/add.autotune.json '[64]' "$(entry 32 4 1)"; file two/A/add.autotune.json '[64]' "$(entry 64 4 1)"
touch -d 2020-01-01 two/Z/add.autotune.json; touch -d 2021-01-01 two/A/add.autotune.json; run import --from triton two --db two.db; rows two.db
# What cannot be.
file bad/A/add.autotune.json '[1]' "$(entry 64 4 1)"
file bad/B/none.autotune.json '[2]' "$(entry 64 4 "$inf")"
file bad/C/option.autotune.json '[3]' "$(entry 64 4 1 | sed 's/"maxnreg": null/"cluster": 2/')"
echo 'not JSON' >bad/C/text.autotune.json; head -c 60 bad/A/add.autotune.json >bad/C/torn.autotune.json; : >bad/C/empty.autotune.json
echo '{"configs_timings": [[{"kwargs": {}}, 1]]}' >bad/C/keyless.autotune.json; echo '{"key": [1], "configs_timings": []}' >bad/C/list.autotune.json
file bad/D/nan.autotune.json '[4]' "$(entry 64 4 NaN)"; file bad/D/value.autotune.json '[5]' "$(entry '[1, 2]' 4 1)"
mkdir bad/D/folder.autotune.json; mkfifo bad/D/pipe.autotune.json
same_age bad; run import --from triton bad --db bad.db; rows bad.db
rm bad/A/add.autotune.json; run import --from triton bad --db none.db 2>&1 | tail -n 2; ls none.db 2>&1
run import --from triton bad/D/nan.autotune.json --db none.db; run import bad/C/torn.autotune.json --db none.db
run import --from triton good/tmp --db none.db; run import --from triton nowhere --db none.db; run import --from triton good/A/add.json --db none.db
run import good --db none.db; run import --from vllm good --db none.db
ls none.db 2>&1
# A name that is no kernel's; a long key.
name="$(printf "x'; DROP TABLE trial; --\n\033[31m%%s \"y\" \303\251 \377")"
file "odd/$name/$name.autotune.json" '["'"'"'; --", "\u001b[31m", "%s"]' "$(entry 64 4 1)"; file odd/.autotune.json '[1]' "$(entry 64 4 1)"
same_age odd; run import --from triton odd --db odd.db 2>&1 | cat -v; ls odd.db 2>&1
file "long/k$(printf %0149d 0).autotune.json" "[\"$(printf %09000d 0)\"]" "$(entry 64 4 1)"; run import --from triton long --db odd.db; rows odd.db | tail -n 1 | wc -c
# What only looks like a time; what no kernel has; what cannot be read ends nothing.
file hostile/A/words.autotune.json '["a, Infinity", "\\", Infinity]' "$(entry 64 4 1)" "$(entry 32 4 Infinity)"
file hostile/B/twice.autotune.json '[1]' "$(entry 64 4 1 | sed 's/{"BLOCK"/{"num_warps": 1, "BLOCK"/')"
file hostile/B/name.autotune.json '[2]' "$(entry 64 4 1 | sed 's/"BLOCK"/"a b"/')"; file hostile/B/key.autotune.json '{"M": 1}' "$(entry 64 4 1)"
file hostile/B/nul.autotune.json '[3]' "$(entry 64 4 1)"; printf '\0more' >>hostile/B/nul.autotune.json; truncate -s 513M hostile/B/large.autotune.json
same_age hostile; run import --from triton hostile --db hostile.db; rows hostile.db
