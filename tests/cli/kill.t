#!/bin/sh
# kill -9 of the coordinator or of the worker at random moments, 20 times: the database stays sound, what was reported as recorded is
# there, no process is left behind, and --resume ends the job.
# covers: record_trial.c db.c
here=$(cd "$(dirname "$0")" && pwd)
root="${here%/tests/cli}"
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH"
command -v sqlite3 >/dev/null || { echo "1..0 # SKIP sqlite3 is missing"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-kill.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache" ASCTUNE_DB="$work/kill.db"
cd "$work" || exit 1
workload="$here/workloads/axpy.json"
# exec: what is killed is asctune itself, not a shell around it
run() { exec asctune run "$workload" --device cpu --cache hot --problem all --budget all --json --repeats 3000 "$@"; }
trials() { sqlite3 kill.db 'select count(*) from trial' 2>/dev/null || echo 0; }
worker_of() { # PID of the coordinator: prints a worker's
	for p in /proc/[0-9]*; do
		[ "$(awk '{ print $4 }' "$p/stat" 2>/dev/null)" = "$1" ] && grep -q worker "$p/cmdline" 2>/dev/null && { echo "${p#/proc/}"; return; }
	done
}

echo 1..45
killed=0
(run) >/dev/null 2>&1 && echo "ok 1 - an undisturbed run (fills the cache)" || echo "not ok 1 - an undisturbed run"
all=$(trials)
rm -f kill.db*
n=1
seed=${ASCTUNE_TEST_SEED:-$(date +%s)}
echo "# seed $seed"
for round in $(seq 20); do
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	delay=$(awk -v s="$seed" 'BEGIN { printf "%.3f", 0.02 + (int(s / 1000) % 300) / 1000 }')
	before=$(trials)
	run --resume >out 2>err &
	pid=$!
	sleep "$delay"
	if [ $((round % 2)) = 0 ]; then
		victim=$(worker_of $pid)
		[ -z "$victim" ] || { kill -9 "$victim" 2>/dev/null && killed=$((killed + 1)); }
		wait $pid
		status=$?
		n=$((n + 1))
		[ $status = 0 ] && [ "$(trials)" -ge "$all" ] && echo "ok $n - round $round: the run survives its worker (killed after $delay s) and ends" ||
			{ echo "not ok $n - round $round: the run survives its worker and ends: exit $status, $(trials) of $all trials"; sed 's/^/# /' err; }
		new=$(grep -c '"type":"trial".*"resumed":false' out)
	else
		kill -9 $pid 2>/dev/null
		wait $pid 2>/dev/null
		n=$((n + 1))
		[ "$(sqlite3 kill.db 'pragma integrity_check' 2>&1)" = ok ] && echo "ok $n - round $round: the database is sound (killed after $delay s)" ||
			{ [ ! -s kill.db ] && echo "ok $n - round $round: killed before there was a database"; } || echo "not ok $n - round $round: integrity"
		new=$(grep -c '"type":"trial".*"resumed":false' out)
	fi
	n=$((n + 1))
	after=$(trials)
	[ "$((after - before))" -ge "$new" ] && echo "ok $n - round $round: all $new reported trials are recorded" ||
		echo "not ok $n - round $round: $new trials reported, $((after - before)) recorded"
	[ $((round % 2)) != 0 ] || [ "$round" = 20 ] || rm -f kill.db* # the next round starts from nothing
done
n=$((n + 1))
before=$(trials)
(run --resume) >out 2>err && [ "$(trials)" = "$before" ] && echo "ok $n - then --resume measures nothing" || echo "not ok $n - then --resume measures nothing: $before trials, then $(trials)"
n=$((n + 1))
[ "$(sqlite3 kill.db 'pragma integrity_check')" = ok ] && echo "ok $n - the database is sound at the end" || echo "not ok $n - the database is sound at the end"
n=$((n + 1))
sleep 0.3
left=$(for p in /proc/[0-9]*; do tr '\0' ' ' 2>/dev/null <"$p/cmdline" | grep -q 'asctune worker' && tr '\0' '\n' 2>/dev/null <"$p/environ" | grep -qx "ASCTUNE_DB=$ASCTUNE_DB" && echo "${p#/proc/}"; done)
[ -z "$left" ] && echo "ok $n - no worker is left behind" || echo "not ok $n - left: $left"
n=$((n + 1))
[ "$killed" -ge 3 ] && echo "ok $n - $killed workers were killed" || echo "not ok $n - only $killed workers were killed"
