#!/bin/sh
# What commands print on a terminal of 60, 80 and 200 columns, in colors, without ($NO_COLOR) and where stdout is no terminal, held to
# tests/cli/terminal/NAME; and that no line of any output is longer than the terminal. tests/terminal.c shows colors as {NUMBER}.
# `tests/cli/terminal.t --update` writes the files instead: read the difference before committing it.
here=$(cd "$(dirname "$0")" && pwd -P)
root="${here%/tests/cli}"
build="${ASCTUNE_BUILD:-$root/build/dev}"
export PATH="$build:$build/tests:$PATH" LC_ALL=C.UTF-8 TERM=xterm CUDA_VISIBLE_DEVICES=
unset ASCTUNE_DB ASCTUNE_DEBUG NO_COLOR COLUMNS GITHUB_ACTIONS
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-terminal.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache"
cd "$work" || exit 1
if ! terminal true >/dev/null 2>&1 || ! command -v sqlite3 >/dev/null; then
	echo "1..0 # SKIP no pseudo-terminal, or no sqlite3"
	exit 0
fi

n=0
failed=0
report() { # STATUS NAME FILE
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$3"
		failed=1
	fi
}

# Fifteen nights of one kernel, the last three of which take twice as long, made of the first run of a golden database.
sqlite3 golden.db <"$root/tests/golden/schema-16.sql"
asctune merge golden.db --db best.db >/dev/null || exit 1
cp best.db t.db
night() { # DAY NS
	sqlite3 t.db "create temp table r as select * from run where id = 1;
		update r set id = null, uid = randomblob(16), started_ms = $1 * 86400000, steady_json = null, simulated = 0;
		insert into run select * from r;
		create temp table t as select * from trial where run_id = 1;
		update t set id = null, run_id = (select max(id) from run), median_ns = $2, cached = 1;
		insert into trial select * from t;
		insert into run_implementation select (select max(id) from run), implementation_id from run_implementation where run_id = 1"
}
for day in 1 2 3 4 5 6 7 8 9 10 11 12; do night $((20000 + day)) $((100000 + day * 7919 % 1000)); done
for day in 13 14 15; do night $((20000 + day)) $((200000 + day * 7919 % 1000)); done
sqlite3 t.db 'update run set simulated = 1 where id <= 2'
awk 'BEGIN { for (i = 1; i <= 44; i++) print (i < 41 ? 1000 : 1100) + i * 7 % 11 }' >series.csv

# What is printed differs from machine to machine, and is only held to the terminal's width.
anywhere() { sed "s|$root|ROOT|g; s|$work|WORK|g"; }

show() { # NAME COMMAND...: in each width, with and without colors, and where stdout is no terminal
	name=$1; shift
	for columns in 60 80 200; do
		echo "--- $columns columns, colors"
		terminal -i -c $columns "$@"
		echo "--- $columns columns, NO_COLOR"
		NO_COLOR=1 terminal -i -c $columns "$@"
	done >screen
	{ cat screen; echo "--- no terminal"; "$@" 2>&1; } | anywhere >"$name.have"
	[ -z "$update" ] || cp "$name.have" "$here/terminal/$name"
	diff -u "$here/terminal/$name" "$name.have" >difference
	report $? "$name at every width" difference
	grep -A3 -n 'NO_COLOR' "$name.have" | grep '{[0-9]' >colored
	report $((! $?)) "$name has no colors with NO_COLOR" colored
}

narrow() { # NAME COMMAND...: lines are broken by asctune at blanks, not by the terminal: none is longer in a wide one
	name=$1; shift
	for columns in 60 80; do
		COLUMNS=$columns terminal -c 400 "$@" </dev/null | sed '/^(ended/d; /^(colored/d' | awk -v most=$columns 'length($0) > most' >long
		report "$([ ! -s long ]; echo $?)" "$name has no line of more than $columns columns" long
	done
}

update=
[ "${1:-}" != --update ] || update=1
show run answers
show run-verbose answers verbose
show best asctune best --db best.db
show track asctune track --db t.db
show track-all asctune track --db t.db --all
show track-series asctune track --series series.csv
show list asctune list
show list-strategies asctune list strategies
show list-evaluators asctune list evaluators
show show-run asctune show run 1 --db best.db
show show-trial asctune show 1 --db best.db
show show-problem asctune show small --db best.db
show error-missing asctune best --db a/folder/that/is/not/there/and/has/a/long/name/results.db
show error-option asctune run --budget often workloads/gemm.json
show error-command asctune bset
show help asctune --help
show help-best asctune best --help
for command in $(asctune --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do narrow "$command --help" asctune "$command" --help; done
for kind in devices builders vendors strategies rewrites probes metrics exporters importers workloads; do narrow "list $kind" asctune list $kind; done
narrow doctor asctune doctor
narrow "a run of two problems" asctune run "$root/workloads/softmax.json" -D cpu -p tiny -p odd --budget 4 --db r.db
narrow "its best" asctune best --db r.db
narrow "its track" asctune track --db r.db
narrow "its state" asctune runs "$root/workloads/softmax.json" -D cpu --db r.db
echo "1..$n"
exit $failed
