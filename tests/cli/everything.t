#!/bin/sh
# What a user does first, with every workload of the project and two of its problems meant for this kind of device, on a CPU short ones (operators.t has all):
# run with a tiny budget, then best, each export, report, track, runs, and a night over the folder. All end with exit status 0, and all name the same winner
# with the same time, which is not slower than the default. $ASCTUNE_TEST_DEVICE names another device than the CPU; where that has kernels in Triton alone, a
# workload is skipped without it.
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH" LC_ALL=C.UTF-8
unset ASCTUNE_DB ASCTUNE_DEBUG GITHUB_ACTIONS GITHUB_STEP_SUMMARY
device=${ASCTUNE_TEST_DEVICE:-cpu}
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-everything.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$work/cache}"
cd "$work" || exit 1
few='--budget 3' # the CPU's caches stay warm: to empty them takes longer than most of these kernels
[ "$device" != cpu ] || few="$few --cache hot"

cp -r "$root/workloads" workloads
python3 - "$device" <<'END' || exit 1
import json, pathlib, sys
for path in pathlib.Path("workloads").glob("*.json"):
    workload = json.loads(path.read_text())
    meant = [p for p in workload.get("problems", []) if sys.argv[1].split(":")[0] in p.get("devices", [sys.argv[1]])]
    if not meant:
        continue
    # A launch of more than 2e9 operations, as in sdpa, takes a CPU a tenth of a second.
    short = [p for p in meant[1:] if eval(str(workload["flops"]), {**p["dims"], **p["dtypes"]}) < 2e9] if sys.argv[1] == "cpu" else meant[1:]
    workload["problems"] = meant[:1] + short[-1:]
    for problem in workload["problems"]:
        problem["dims"] = {name: value[:1] if isinstance(value, list) else value for name, value in problem["dims"].items()}
    path.write_text(json.dumps(workload))
END
no_triton=$(asctune list builders | sed -n 's/^triton  *no  *//p')

n=0 failed=0
check() { # NAME VERDICT FILE: passes when VERDICT is 0, else FILE is shown
	n=$((n + 1))
	[ "$2" = 0 ] && echo "ok $n - $1" && return
	echo "not ok $n - $1"
	failed=1
	{ echo "$1"; tail -n 40 "$3" | cut -c1-1000; } | sed 's/^/# /' >&2
}
ends_well() { # NAME COMMAND...: its output is left in `said`
	name=$1
	shift
	"$@" >said 2>&1
	status=$?
	check "$name: exit status $status" $status said
}

# The winners in JSON: a line "PROBLEM IMPLEMENTATION KEY NS" for each. What stands behind a winner is none.
winners() {
	sed -n -e '/"behind":/d' -e 's/.*"type":"summary".*"problem":"\([^"]*\)".*"best":{"implementation":"\([^"]*\)","config":{[^}]*},"config_key":"\([^"]*\)","median_ns":\([^,]*\),.*/\1 \2 \3 \4/p' \
		-e 's/.*"operator":.*"problem":"\([^"]*\)".*"implementation":"\([^"]*\)".*"config_key":"\([^"]*\)","rewrites".*"median_ns":\([^,]*\),"q1_ns".*/\1 \2 \3 \4/p' "$@" | sort
}
# How sure they are: a line "PROBLEM WORDS" for each.
sure() {
	sed -n -e '/"behind":/d' -e 's/.*"problem":"\([^"]*\)".*"sure":"\([^"]*\)".*/\1 \2/p' "$1" | sort
}
# Of a run's summaries, "PROBLEM BEST_NS DEFAULT_NS" of those whose default is faster by more than finals may take for equal, of which two steps of the clock are
# a part: kernels of 20 ns tie within those.
slower() {
	sed -n 's/.*"type":"summary".*"problem":"\([^"]*\)".*"best":{[^}]*"median_ns":\([^,]*\),.*"default":{[^}]*"median_ns":\([^,]*\),.*/\1 \2 \3/p' "$1" |
		awk '$2 > $3 * 1.0051 + 2'
}
same() { # NAME FILE FILE
	diff "$2" "$3" >difference
	check "$1" $? difference
}

everything() { # WORKLOAD FILE
	db=$1.db
	# shellcheck disable=SC2086 # $few holds words
	asctune run "$2" --device "$device" $few --json --db "$db" >"$1.lines" 2>said
	status=$?
	if [ $status = 3 ] && [ -n "$no_triton" ] && grep -qF "$no_triton" said; then
		n=$((n + 1))
		echo "ok $n - $1 # SKIP its kernels for $device are Triton's: $no_triton"
		rm "workloads/$1.json"
		return
	fi
	grep -o '"type":"summary".*' "$1.lines" >>said # says what is missing at an exit status of 1
	check "$1: run: exit status $status" $status said
	asctune runs "$2" --device "$device" --db "$db" --json 2>&1 | sed -n 's/.*"problem":"\([^"]*\)".*/\1/p' | sort >planned
	winners "$1.lines" >answer
	cut -d ' ' -f 1 answer >answered
	[ -s planned ]
	check "$1: $(wc -l <planned) problems are meant for $device" $? planned
	same "$1: each of them has a winner" planned answered
	slower "$1.lines" >worse
	[ ! -s worse ]
	check "$1: no winner is slower than the default" $? worse

	ends_well "$1: best" asctune best "$2" --db "$db"
	awk '/^  / { print kernel, $1; next } { kernel = $1 }' said >bests
	while read -r problem implementation _; do
		grep -q "/$problem $implementation\$" bests || echo "$problem $implementation"
	done <answer >missing
	same "$1: best has each winner" /dev/null missing
	ends_well "$1: best --json" asctune best "$2" --db "$db" --json
	winners said >found
	same "$1: best --json names the run's winners and times" answer found
	sure "$1.lines" >answer.sure
	sure said >found
	same "$1: and is as sure of them" answer.sure found
	cut -d ' ' -f 1 found >known
	same "$1: of each it is said how sure that is" answered known
	for format in json t4 csv; do
		ends_well "$1: export $format" asctune export $format --db "$db" --output "$1"
	done
	winners "$1/best.json" >found
	same "$1: so does best.json" answer found
	cut -d ' ' -f 1 answer | while read -r problem; do
		ls "$1/$1-$problem"-*_T4.json >/dev/null 2>&1 && grep -q "$problem" "$1/trials.csv" || echo "$problem"
	done >missing
	same "$1: each problem is in T4's files and in trials.csv" /dev/null missing
	ends_well "$1: export t1" asctune export t1 "$2" --device "$device" --output "$1"
	ends_well "$1: report" asctune report --db "$db" --output "$1.html"
	while read -r problem _; do
		grep -q "$problem" "$1.html" || echo "$problem"
	done <answer >missing
	same "$1: the report has each problem" /dev/null missing
	ends_well "$1: track" asctune track --db "$db"
	ends_well "$1: runs" asctune runs "$2" --device "$device" --db "$db"
}

for file in workloads/*.json; do
	name=$(basename "$file" .json)
	[ "$name" = schema ] || everything "$name" "$file"
done
ASCTUNE=$(command -v asctune) && export ASCTUNE
ends_well "nightly" "$root/ci/nightly" --dir night --time 10m --device "$device" --run "--budget 1 --repeats 3 ${few#--budget 3}" "$work/workloads"
grep -q 'no confirmed regression' night/latest/summary.md
check "a first night is no worse than none" $? night/latest/summary.md
echo "1..$n"
exit $failed
