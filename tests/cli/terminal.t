#!/bin/sh
# What commands print on a terminal of 60, 80 and 200 columns, in colors, without ($NO_COLOR) and where stdout is no terminal, held to
# tests/cli/terminal/NAME; and that no line of any output is longer than the terminal. tests/terminal.c shows colors as {NUMBER}.
# `tests/cli/terminal.t --update` writes the files instead: read the difference before committing it.
# covers: prose.c table.c run_facts.c show_text.c
here=$(cd "$(dirname "$0")" && pwd -P)
root="${here%/tests/cli}"
build="${ASCTUNE_BUILD:-$root/build/dev}"
export PATH="$build:$build/tests:$PATH" LC_ALL=C.UTF-8 TERM=xterm CUDA_VISIBLE_DEVICES=
unset ASCTUNE_DB ASCTUNE_DEBUG NO_COLOR COLUMNS GITHUB_ACTIONS
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-terminal.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache"
cd "$work" || exit 1
if ! terminal true >/dev/null 2>&1 || ! command -v sqlite3 >/dev/null || ! command -v python3 >/dev/null; then
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
sqlite3 golden.db <"$root/tests/data/golden/schema-16.sql"
"$root/tests/data/golden/convert.py" golden.db best.db || exit 1
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
cp best.db story.db
sqlite3 story.db <"$here/story.sql" || exit 1
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
	awk '/^--- / { off = /NO_COLOR|no terminal/ } off && /[{][0-9]/' "$name.have" >colored
	report "$([ ! -s colored ]; echo $?)" "$name has no colors with NO_COLOR" colored
}

narrow() { # [-e STATUS|STATUS...] NAME COMMAND...: ends with that status, 0 else, and prints lines that asctune breaks at blanks, not the terminal: none is longer in a wide one
	status=0
	if [ "$1" = -e ]; then status=$2; shift 2; fi
	name=$1; shift
	case "$1" in sh) narrowed="$narrowed $3" ;; *) narrowed="$narrowed $2" ;; esac
	for columns in 60 80; do
		COLUMNS=$columns terminal -c 400 "$@" </dev/null | anywhere >wide # no line can be shorter than the path of a folder
		LC_ALL=C tr -d '\200-\277' <wide | awk -v most=$columns -v status="$status" '
			/^[(]ended with/ { if ($0 !~ "^[(]ended with (" status ")[)]$") print; next }
			/^[(]colored[)]$/ { next }
			{ lines++; if (length($0) > most) print }
			END { if (!lines) print "nothing is printed" }' >long # without the bytes that go on a character: awk may count bytes
		report "$([ ! -s long ]; echo $?)" "$name fits $columns columns" long
	done
}

update=
[ "${1:-}" != --update ] || update=1
show run answers
show run-verbose answers verbose
show run-long answers long
show best asctune best --db best.db
show track asctune track --db t.db
show track-story asctune track --db story.db
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
commands=$(COLUMNS=200 asctune --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
narrowed=
for command in $commands; do narrow "$command --help" asctune "$command" --help; done
narrowed=
for kind in devices builders vendors strategies rewrites probes metrics exporters importers workloads; do narrow "list $kind" asctune list $kind; done
narrow doctor asctune doctor
narrow 'doctor of a device' asctune doctor --device cpu
narrow 'a run of two problems' asctune run "$root/workloads/softmax.json" -D cpu -p tiny -p odd --budget 4 --db r.db
narrow 'a run of one configuration' asctune run "$root/workloads/softmax.json" -D cpu -p tiny --impl rows --config '' --db r.db
narrow 'a run with a cover' asctune run "$here/workloads/axpy.json" -D cpu -p small --budget 3 --cache hot --cover 5% --db c.db
narrow -e 1 'a run of which nothing passes' asctune run "$here/workloads/faults.json" -D cpu -p small --impl wrong --budget 2 --db f.db
narrow 'a run that measures nothing again' asctune run "$root/workloads/softmax.json" -D cpu -p tiny --confirm --db r.db
narrow 'the best of a run' asctune best --db r.db
sqlite3 r.db "create table kept as select * from run; update run set outcome = null"
narrow 'the best of a run that did not end' asctune best --db r.db
sqlite3 r.db 'update run set outcome = (select outcome from kept where kept.id = run.id); drop table kept'
narrow 'histories of one point' asctune track --db r.db
narrow -e 1 'histories with a change' asctune track --db t.db
series=$(asctune track --db t.db --json 2>/dev/null | sed -n 's/.*"series":"\([^"]*\)".*"verdict":"regression".*/\1/p' | head -n 1)
narrow 'an acknowledgement' asctune track ack "$series" --reason 'is looked at by those who wrote the kernel, and by those who wrote the compiler' --db t.db
narrow 'acknowledgements' asctune track ack --list --db t.db
narrow -e 3 'the state of runs' asctune runs "$root/workloads/softmax.json" -D cpu --db r.db
narrow -e 3 'the state of no runs' asctune runs "$root/workloads/softmax.json" -D cpu --db none.db
for what in 'run 1' 1 tiny; do narrow "show $what" asctune show $what --db r.db; done
narrow 'a profile' asctune profile "$root/workloads/softmax.json" -D cpu -p tiny --db r.db
narrow 'a profile beside another' asctune profile "$here/workloads/axpy.json" -D cpu -p small --config default --against BLOCK=64,THREADS=1,UNROLL=1 --db r.db
narrow 'machine code' asctune code "$root/tests/data/code/steps-90.cubin"
narrow 'spaces' asctune space "$root/workloads/gemm.json"
narrow -e 1 'builds, and what does not build' asctune build "$here/workloads/faults.json" -D cpu
narrow 'the first of several spaces' asctune space "$root/workloads/gemm.json" --count
narrow -e 1 'why a configuration is left out' asctune space "$root/workloads/gemm.json" -p tiny -i openblas --explain BLAS_THREADS=4096
narrow -e '0|1|4' 'a comparison' asctune compare BLOCK=64 BLOCK=256 --workload "$here/workloads/axpy.json" -D cpu
gate='cp -r "$0" "$1" . && git init -q && git add -A && git -c user.name=t -c user.email=t@localhost commit -q -m first && echo "#error no" >>axpy/kernel.c && asctune gate -D cpu axpy.json'
command -v git >/dev/null && narrow -e 1 'a gate' sh -c "rm -rf g && mkdir g && cd g && $gate" "$here/workloads/axpy" "$here/workloads/axpy.json"
narrow -e '0|1|4' 'a measurement again' asctune reproduce "$(sqlite3 r.db "select min(id) from trial where status = 'ok'")" --db r.db
narrow -e 2 'a skeleton that is there' sh -c 'mkdir -p a_skeleton_of_a_workload_that_has_a_long_name; asctune init a_skeleton_of_a_workload_that_has_a_long_name --lang c'
narrow 'a skeleton' sh -c 'rm -rf a_skeleton; asctune init a_skeleton --lang c'
narrow 'a workload that is right' asctune check-workload "$root/workloads/softmax.json"
sed 's/BLOCK \* THREADS <= 1024/BLOCK * THREADS <= 10 \&\& UNROLL < 0/' "$here/workloads/axpy.json" >axpy.json
cp -r "$here/workloads/axpy" .
narrow -e 2 'a workload that is wrong' asctune check-workload axpy.json
narrow 'a merge' sh -c 'rm -f merged.db; asctune merge r.db t.db --db merged.db'
narrow 'a database' asctune doctor --db merged.db
narrow 'what is pruned' asctune prune --keep 1 --db merged.db
narrow 'an export' asctune export c-header --db best.db --force -o a_folder_with_a_long_name/and_another_folder/exported
narrow 'a check of an export' asctune export --check a_folder_with_a_long_name/and_another_folder/exported --db best.db
narrow 'an import' asctune import "$root/tests/data/replay/convolution_milo__MI250X_T4.json.gz" --db i.db
narrow 'a draft' sh -c "cp '$here/triton/ninetoothed.py' .; rm -f draft.json; asctune import-triton ninetoothed.py:application -o draft.json"
narrow 'what was captured' sh -c "rm -rf captured; cp -r '$root/tests/data/capture/add' captured && asctune capture -o captured"
narrow 'a score' asctune replay "$root/tests/data/replay/convolution_milo__MI250X_T4.json.gz" --strategy random --runs 2
narrow 'a report' asctune report --db r.db -o a_report_that_has_a_name_which_is_longer_than_most_names_are.html
narrow -e 2 'a missing database' asctune best --db a/folder/that/is/not/there/and/has/a/long/name/results.db
narrow -e 2 'an option with a wrong value' asctune run --budget often workloads/gemm.json
# Every command that prints is among them; `completion` prints a script.
for command in $commands; do
	case " $(echo "$narrowed" | tr '\n' ' ') completion " in *" $command "*) ;; *) echo "$command" ;; esac
done >missing
[ -n "$commands" ] || echo 'no command is known' >>missing
report "$([ ! -s missing ]; echo $?)" 'every command is printed on narrow terminals' missing
echo "1..$n"
exit $failed
