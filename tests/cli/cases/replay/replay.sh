# A strategy is scored on recorded results, without a device.
# covers: cmd_replay.c score.c
data=$ROOT/tests/data/replay
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" "$data/convolution_milo__MI250X_T4.json.gz" --strategy random --runs 4 | sed 's/ *[0-9.]* ms$/ TIME/'
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --strategy random --runs 4 --json | sed 's/cpu_s":[^,}]*/cpu_s":S/g'
asctune replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --strategy genetic --runs 4 --json | sed 's/.*"score":\([^,]*\).*/\1/' >ahead.1
asctune replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --strategy genetic --runs 4 --ahead 16 --json | sed 's/.*"score":\([^,]*\).*/\1/' >ahead.16
cmp -s ahead.1 ahead.16 || echo "what is asked ahead matters"
asctune replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --strategy genetic --runs 4 --ahead 0 --json | tail -n 1 | sed 's/"mean.*//'
# Implementations of one problem share the budget.
run replay --together "$data/convolution_milo__A100_T4.json.gz" "$data/convolution_milo__MI250X_T4.json.gz" --strategy random --runs 4 --within 20 | sed 's/ *[0-9.]* ms$/ TIME/'
# Results of another device may stand at the beginning.
run replay "$data/convolution_milo__MI250X_T4.json.gz" --history "$data/convolution_milo__A100_T4.json.gz" --strategy random --runs 4 --json | tail -n 2
# The curve is drawn, where there is something to draw with.
bare="$(dirname "$(command -v asctune)")"
(PATH=$bare run replay "$data/convolution_milo__MI250X_T4.json.gz" --strategy random --runs 4 --plot curve.svg)
if command -v gnuplot >/dev/null; then
	asctune replay "$data/convolution_milo__MI250X_T4.json.gz" --strategy random --runs 4 --plot curve.svg >/dev/null
	echo mine >mine.svg
	asctune replay "$data/convolution_milo__MI250X_T4.json.gz" --strategy random --runs 4 --plot mine.svg >/dev/null 2>err
	grep -q 'was not written by asctune' err || cat err
	[ "$(cat mine.svg)" = mine ] || echo "a text of the user's own was replaced"
	asctune replay "$data/convolution_milo__MI250X_T4.json.gz" --strategy random --runs 4 --plot curve.svg >/dev/null || echo "its own picture was not replaced"
else
	echo '<svg' >curve.svg
fi
head -c 4 curve.svg; echo
# A record of a part of its space: said where the file tells how large that is.
asctune run "$WORKLOADS/axpy.json" -D cpu -p small --cache hot --budget 4 --strategy random --no-race --db part.db >/dev/null 2>&1
asctune export t4 --db part.db -o part >/dev/null 2>&1
asctune replay part/*_T4.json --runs 2 --strategy random 2>&1 | grep -o '! .*'
asctune replay part/*_T4.json --runs 2 --strategy random --json | grep -o '"configurations":4,"valid":4,"space_configurations":[0-9.]*'
sed 's/,"configurations":[0-9]*}/}/' part/*_T4.json >unsaid.json
asctune replay unsaid.json --runs 2 --strategy random 2>&1 | grep -o 'taken as.*'
echo '{"device_name": "GPU", "tune_params_keys": ["A", "B"], "tune_params": {"A": [1, 2], "B": [1, 2]}, "cache": {
	"1,1": {"A": 1, "B": 1, "time": 3, "compile_time": 1}, "1,2": {"A": 1, "B": 2, "time": 2, "compile_time": 1}, "2,1": {"A": 2, "B": 1, "time": 1, "compile_time": 1}}}' >cache.json
asctune replay cache.json --runs 2 --strategy random 2>&1 | grep -o '. of 4 .*'
# What cannot be.
run replay
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --history "$data/convolution_milo__A100_T4.json.gz"
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --ahead 257
run replay --together "$data/ktdata_pnpoly__RTX_3090.json.gz" --history "$data/convolution_milo__A100_T4.json.gz"
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --within 0
run replay nowhere.json
golden 26 results.db; run replay results.db
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --strategy rendom
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --runs 0
run replay "$data/ktdata_pnpoly__RTX_3090.json.gz" --runs 10001
run replay "$WORKLOADS/axpy.json"
echo '{"results": [{"configuration": {"A": 1}, "times": {"runtimes": [1]}, "invalidity": "correct"}]}' >one.json
run replay one.json
