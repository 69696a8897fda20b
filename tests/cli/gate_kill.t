#!/bin/sh
# A gate that is ended at many moments, by kill -9, SIGINT and SIGTERM: git's status, index, refs and working trees and the database are as before,
# and neither a process nor a scratch folder is left; one that sides are recorded to is whole, with both sides of a gate or neither.
# GATE_KILLS: number of moments (default 12).
# covers: cmd_gate.c base_checkout.c gate_record.c
here=$(cd "$(dirname "$0")" && pwd)
root="${here%/tests/cli}"
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH"
for need in git sqlite3; do command -v $need >/dev/null || { echo "1..0 # SKIP $need is missing"; exit 0; }; done
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-kill.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
mkdir "$work/scratch" "$work/tree"
export ASCTUNE_CACHE_DIR="$work/cache" ASCTUNE_DB="$work/kill.db" TMPDIR="$work/scratch"
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME GITHUB_ACTIONS GITHUB_STEP_SUMMARY
cd "$work/tree" || exit 1
cp -r "$here/workloads/axpy" "$here/workloads/axpy.json" .
git init -q -b main && git add -A && git -c user.name=t -c user.email=t@localhost commit -q -m first || exit 1
sed -i 's/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' axpy/kernel.c
asctune run axpy.json -D cpu --problem small --budget 2 >"$work/out" 2>&1 || exit 1
state() { sqlite3 "$ASCTUNE_DB" .dump | sha1sum; git status --porcelain; git for-each-ref; git worktree list; git stash list; git ls-files -s; sha1sum .git/index .git/HEAD; find .git -newer "$work/begun" ! -name index -type f; }
left() { # processes of this test, and folders of gates and builds
	for p in /proc/[0-9]*; do
		[ "$p" != "/proc/$$" ] && tr '\0' ' ' 2>/dev/null <"$p/cmdline" | grep -qE 'asctune|cc1|git' && tr '\0' '\n' 2>/dev/null <"$p/environ" | grep -qx "ASCTUNE_DB=$ASCTUNE_DB" &&
			echo "${p#/proc/}: $(tr '\0' ' ' <"$p/cmdline")"
	done
	ls -A "$TMPDIR"
}
sides="$work/sides.db"
whole() { # each gate has a run of the base and one of the head, with a result each
	[ ! -e "$sides" ] || [ ! -s "$sides" ] || sqlite3 "$sides" "PRAGMA integrity_check; PRAGMA foreign_key_check;
		SELECT 'run ' || r.id || ' is half' FROM run r WHERE outcome IS NOT 'done' OR source_clean <> (id % 2) OR (SELECT count(*) FROM trial WHERE run_id = r.id) <> 1;
		SELECT 'one side' WHERE (SELECT count(*) % 2 FROM run)" 2>&1 | grep -vx ok
}
kills=${GATE_KILLS:-12}
echo "1..$((3 * kills + 2))"
git status >/dev/null # which may write the index, by itself
touch "$work/begun"
before=$(state)
seed=${ASCTUNE_TEST_SEED:-$(date +%s)}
echo "# seed $seed"
n=0
for round in $(seq "$kills"); do
	# every second one while git is read
	delay=$(awk -v s="$seed" -v r="$round" 'BEGIN { srand(s + r); rand(); printf "%.3f", rand() * (r % 2 ? 0.15 : 1.5) }')
	case $((round % 3)) in 0) signal=KILL ;; 1) signal=INT ;; 2) signal=TERM ;; esac
	# in a process group of its own, where a background job of a shell would ignore SIGINT
	setsid sh -c 'trap - INT; exec asctune gate -D cpu --db "$0" --html "$0.html"' "$sides" >"$work/out" 2>&1 &
	pid=$!
	sleep "$delay"
	kill -$signal $pid 2>/dev/null
	wait $pid 2>/dev/null
	for try in 1 2 3 4 5 6 7 8 9 10; do # the guard comes after kill -9
		rest=$(left)
		[ -z "$rest" ] && break
		sleep 0.2
	done
	n=$((n + 1))
	[ -z "$rest" ] && echo "ok $n - $signal after $delay s: nothing is left" || { echo "not ok $n - $signal after $delay s: nothing is left"; echo "$rest" | sed 's/^/# /'; }
	rm -rf "${TMPDIR:?}"/*
	n=$((n + 1))
	half=$(whole)
	[ -z "$half" ] && echo "ok $n - $signal after $delay s: the database is whole" || { echo "not ok $n - $signal after $delay s: the database is whole"; echo "$half" | sed 's/^/# /'; }
	n=$((n + 1))
	after=$(state)
	[ "$after" = "$before" ] && echo "ok $n - $signal after $delay s: git and the database are as they were" || { echo "not ok $n - $signal after $delay s: git and the database are as they were"; echo "$after" | sed 's/^/# /'; }
done
n=$((n + 1))
asctune gate -D cpu --db "$sides" >"$work/out" 2>&1
grep -qE '^1 (slower|same|faster|undecided); ' "$work/out" && echo "ok $n - then a gate ends as ever" || { echo "not ok $n - then a gate ends as ever"; sed 's/^/# /' "$work/out"; }
n=$((n + 1))
[ "$(sqlite3 "$sides" 'SELECT count(*) >= 2 FROM run')" = 1 ] && [ -z "$(whole)" ] && echo "ok $n - and records both sides" || { echo "not ok $n - and records both sides"; sqlite3 "$sides" 'SELECT id, outcome FROM run' | sed 's/^/# /'; }
