# A search begins with earlier results of the same kernel: imported ones, those of another problem, of another version.
# record FILE CONFIGURATION=MS...: results in the T4 format; a configuration is a JSON object.
# covers: search_history.c
record() {
	file=$1; shift
	for result; do
		printf '%s{"configuration": %s, "times": {}, "invalidity": "correct", "measurements": [{"name": "time", "value": %s, "unit": "milliseconds"}]}' \
			"${separator-}" "${result%=*}" "${result##*=}"
		separator=", "
	done | { printf '{"results": ['; cat; printf ']}'; } >"$file"
}
config() { echo "{\"BLOCK\": $1, \"UNROLL\": $2, \"THREADS\": $3}"; }
tune() { asctune run "$WORKLOADS/axpy.json" --device cpu --problem small --cache hot --jobs 1 "$@" --json 2>&1; }
begun() { grep -o '"history":\(null\|{.*}\),"policy"\|^asctune.*' | sed 's/,"policy"//; s/: AMD[^"]*\|: Intel[^"]*/: MODEL/'; }
record other.json "$(config 64 1 1)=6" "$(config 64 1 2)=1" "$(config 256 2 1)=2" "$(config 256 4 1)=3" "$(config 1024 4 1)=4" "$(config 512 1 1)=0.5"
asctune import other.json --workload axpy --model "another CPU" --db h.db >/dev/null
# the default comes first, then what was fastest there, then the others in order; 512 is no value here
tune --db h.db --strategy exhaustive --budget all | begun
sqlite3 h.db 'select config_key from trial where run_id = 2 order by id' | head -n 6
asctune show run 2 --db h.db | grep '  history'
asctune show small --db h.db | grep -o 'exhaustive[^ ]*  *history\|exhaustive, history'
asctune runs "$WORKLOADS/axpy.json" --device cpu --problem small --db h.db | grep -o begun.*
# a budget of three has room for one of them
asctune import other.json --workload axpy --model "another CPU" --db few.db >/dev/null
tune --db few.db --strategy random --budget 3 | begun
sqlite3 few.db "select count(*) from trial where run_id = 2 and config_key = 'BLOCK=64,THREADS=2,UNROLL=1'"
# what was measured here counts for another problem, and for an edited kernel, the newest first
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" . && echo '/* edited */' >>axpy/kernel.c
asctune run axpy.json --device cpu --problem small --cache hot --db h.db --budget 6 --json 2>/dev/null | grep -o '"history":{"results":[0-9]*'
asctune run axpy.json --device cpu --problem large --cache hot --db h.db --budget 2 --verbose 2>/dev/null | grep history |
	sed 's/on cpu: .* (6)/on cpu: MODEL (6)/; s/ *history/history/'
# without
tune --db h.db --budget 2 --no-history | begun
tune --db h.db --config BLOCK=64 | begun
# the same seed and the same results: the same questions
cp other.json same.json
for n in 1 2; do
	asctune import same.json --workload axpy --model "another CPU" --db "same$n.db" >/dev/null
	tune --db "same$n.db" --strategy model --budget 8 --seed 5 >/dev/null
	sqlite3 "same$n.db" 'select config_key from trial where run_id = 2 order by id' >"same$n"
done
cmp same1 same2 && wc -l <same1
# histories that say nothing: other parameters, other values, values of another type, too few results; 64.0 is 64
record names.json '{"BLOCK": 64, "UNROLL": 1}=1' '{"BLOCK": 64, "UNROLL": 2}=2'
record values.json "$(config 1 1 1)=1" "$(config 2 1 1)=1" "$(config 3 1 1)=1" "$(config 4 1 1)=1" "$(config 5 1 1)=1"
record types.json "$(config '"a"' 1 1)=1" "$(config '"b"' 1 1)=1" "$(config '"c"' 1 1)=1" "$(config '"d"' 1 1)=1" "$(config '"e"' 1 1)=1"
record real.json "$(config 64.0 1 1)=1" "$(config 64.0 1 2)=1" "$(config 256.0 1 1)=1" "$(config 256.5 1 1)=1" "$(config 256.0 2.0 1)=1" "$(config 256.0 4.0 1)=1"
record two.json "$(config 64 1 1)=1" "$(config 64 1 2)=1"
for bad in names values types two real; do
	asctune import $bad.json --workload axpy --db $bad.db 2>&1 >/dev/null
	tune --db $bad.db --budget 3 | begun
done
# times that are none, one time everywhere, a damaged configuration
for change in "median_ns = 0" "median_ns = -1" "median_ns = 9e999" "median_ns = NULL" "median_ns = 7" "config_json = '{'" "config_json = '[]'" "status = 'wrong'"; do
	rm -f bad.db*
	asctune import other.json --workload axpy --model "another CPU" --db bad.db >/dev/null 2>&1; echo "$change"
	sqlite3 bad.db "update trial set $change"
	tune --db bad.db --strategy model --budget 11 | { grep -o '"history":null\|"history":{"results":[0-9]*\|"type":"summary"\|"trials":[0-9]*\|^asctune.*'; }
done
