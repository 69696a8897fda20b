#!/bin/sh
# `asctune gate --watch` beside an editor: what is saved is compared again, for the kernels that the file reaches and for no others.
# covers: gate_watch.c cmd_gate.c
here=$(cd "$(dirname "$0")" && pwd)
root="${here%/tests/cli}"
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH" LC_ALL=C.UTF-8
command -v git >/dev/null || { echo "1..0 # SKIP git is missing"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-watch.XXXXXX") || exit 1
pid=
trap '[ -z "$pid" ] || kill $pid 2>/dev/null; rm -rf "$work"' EXIT INT TERM
mkdir "$work/scratch" "$work/tree"
export ASCTUNE_CACHE_DIR="$work/cache" ASCTUNE_DB="$work/watch.db" TMPDIR="$work/scratch"
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME
cd "$work/tree" || exit 1
mkdir include && echo '#define SHARED 1' >include/shared.h
for k in one two; do
	cp -r "$here/workloads/axpy" $k
	sed "s|\"name\": \"axpy\"|\"name\": \"$k\"|; s|axpy/|$k/|" "$here/workloads/axpy.json" >$k.json
done
sed -i '1i #include "../include/shared.h"' one/kernel.c
git init -q -b main && git add -A && git -c user.name=t -c user.email=t@localhost commit -q -m first || exit 1
n=0
failed=0
report() { # STATUS NAME
	n=$((n + 1))
	[ "$1" -eq 0 ] && echo "ok $n - $2" || { echo "not ok $n - $2"; sed 's/^/# /' "$work/out" "$work/err"; failed=1; }
}
gates() { grep -c ' built, ' "$work/out"; }
# The lines of the next gate, without times, figures, reasons and what changed in the code.
next() {
	for try in $(seq 300); do
		[ "$(gates)" -gt "$seen" ] && break
		sleep 0.1
	done
	seen=$((seen + 1))
	awk -v n=$seen '/ built, /{ at++ } at == n - 1 && !/ built, / || at == n && / built, /' "$work/out" | sed -E '/^ {11}[^ ]/d; /^more: /d; /^instructions are not compared/d; s/, [0-9.]+ m?s$//; s/[+-][0-9.]+ % .*/RATIO/; s/  +/ /g; s/^base [0-9a-f]*/base C/; s/ launch.c:.*| kernel.c:.*/ REASON/'
}
# Waits for the gate that a change starts, and for those that follow it.
settle() {
	for try in $(seq 300); do
		[ "$(gates)" -gt "$seen" ] && break
		sleep 0.1
	done
	for quiet in $(seq 300); do
		at=$(gates)
		sleep 2
		[ "$(gates)" -eq "$at" ] && break
	done
	seen=$at
}
expect() { # NAME LINE...
	name=$1
	shift
	printf '%s\n' "$@" >"$work/want"
	next >"$work/have"
	cmp -s "$work/want" "$work/have"
	status=$?
	[ $status -eq 0 ] || diff "$work/want" "$work/have" | sed 's/^/# /'
	report $status "$name"
}
echo 'two/small,1' >"$work/times"
seen=0
# a test that is killed leaves no watcher for ever
setsid sh -c 'trap - INT; exec timeout --foreground 300 asctune gate -D cpu --base HEAD --watch --weights -' <"$work/times" >"$work/out" 2>"$work/err" &
pid=$!
expect "the first gate is as any" 'base C, HEAD (--base)' '2 unchanged; 0 built, 0 measured'
sed 's/out\[i\] = alpha \* x\[i\] + y\[i\];/for (int pass = 0; pass < 40; pass++) { out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' two/kernel.c >two/new~ && mv two/new~ two/kernel.c
expect "a file that an editor renames is seen" 'saved: two/kernel.c' 'slower two/small loop RATIO' '1 slower, 1 unchanged; 1 built, 1 measured'
echo '#define SHARED 2' >include/shared.h
expect "an included file reaches its kernel alone; the other one keeps its verdict, unsaid" 'saved: include/shared.h' '1 slower, 1 unchanged; 1 built, 0 measured'
echo 'int i = nonsense;' >>one/kernel.c
expect "what does not build is said" 'saved: one/kernel.c' 'broken one/small loop REASON' '1 broken, 1 slower; 1 built, 0 measured'
git checkout -q one
expect "and what is as it was" 'saved: one/kernel.c' 'unchanged one/small loop' '1 slower, 1 unchanged; 0 built, 0 measured'
echo '{' >three.json
for try in $(seq 100); do grep -q 'three.json:' "$work/err" && break; sleep 0.1; done
report "$(grep -c 'three.json:' "$work/err" | grep -qx 1; echo $?)" "a workload that does not parse ends nothing"
sed 's|"one"|"three"|' one.json >three.json
expect "a new workload is found" 'saved: three.json' 'saved: three.json' 'new three/small loop' '1 slower, 1 new, 1 unchanged; 0 built, 0 measured'
mv include gone && mkdir include && echo '#define SHARED 3 /* another folder */' >include/shared.h
settle
sed -i 's/SHARED 3/SHARED 4/' include/shared.h
expect "a folder that is replaced is followed" 'saved: include/shared.h' 'new three/small loop' '1 slower, 1 new, 1 unchanged; 1 built, 0 measured'
touch README.md one/.kernel.c.swp one/kernel.c~ asctune.db one/kernel.o
sleep 1
report "$(gates | grep -qx $seen; echo $?)" "files that no kernel reaches start nothing"
git checkout -q . && rm -r three.json gone
settle
sed -i '1i /* before */' one/kernel.c
expect "nothing stale is read" 'saved: one/kernel.c' '2 unchanged; 1 built, 0 measured'
kill -INT $pid
wait $pid
report $? "Ctrl-C ends it, with the last verdicts: none is slower"
report "$(grep -c 'names none' "$work/err")" "each gate has the weights of standard input"
pid=
report "$(ls -A "$TMPDIR" | grep -q . && echo 1 || echo 0)" "no scratch folder is left"
git checkout -q .
setsid sh -c 'trap - INT; exec timeout --foreground 300 asctune gate -D cpu --watch' >"$work/out" 2>"$work/err" &
pid=$!
seen=0
for try in $(seq 50); do ls "$TMPDIR"/asctune-base* >/dev/null 2>&1 && break; sleep 0.02; done
sed -i 's/out\[i\] = alpha/out[i] = 2 * alpha/' one/kernel.c # while the first one reads: seen by it, or by the next
for try in $(seq 100); do grep -q '^broken *one/small' "$work/out" && break; sleep 0.1; done
report "$(grep -q '^broken *one/small' "$work/out"; echo $?)" "a save during a gate is seen"
kill -INT $pid
wait $pid
report $(($? != 1)) "Ctrl-C ends it, with the last verdicts: one is broken"
pid=
mkdir "$work/none" && cd "$work/none" || exit 1
asctune gate -D cpu --watch >"$work/out" 2>"$work/err"
report $(($? != 2)) "where there is nothing to compare with it ends at once"
echo "1..$n"
exit $failed
