#!/bin/sh
# What `asctune run`, `build`, `gate` and `space --verify-with-compiler` draw on a terminal. They run on tests/terminal.c, which prints what stands there at the end.
# covers: live_lines.c run_show.c screen.c build_report.c space_verify.c gate_progress.c
here=$(cd "$(dirname "$0")" && pwd)
root="${here%/tests/cli}"
build="${ASCTUNE_BUILD:-$root/build/dev}"
workloads="$here/workloads"
export PATH="$build:$build/tests:$PATH" LC_ALL=C.UTF-8 TERM=xterm
unset ASCTUNE_DB ASCTUNE_DEBUG NO_COLOR COLUMNS
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-live.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache" # of its own: what another test has built is not seen being built
cd "$work" || exit 1

n=0
failed=0
report() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' screen
		failed=1
	fi
}

check() { # NAME PATTERN: `screen` has a line like that
	grep -q -e "$2" screen
	report $? "$1"
}

check_none() { # NAME PATTERN
	! grep -q -e "$2" screen
	report $? "$1"
}

check_after() { # NAME PATTERN NEXT: the line after the first like PATTERN is like NEXT
	grep -A1 -e "$2" screen | sed -n 2p | grep -q -e "$3"
	report $? "$1"
}

tune() { # TERMINAL-ARGUMENTS -- RUN-ARGUMENTS
	options=
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	# shellcheck disable=SC2086
	terminal $options asctune run "$workloads/faults.json" --device cpu --db live.db "$@" >screen
}

if ! terminal true >/dev/null 2>&1; then
	echo "1..0 # SKIP no pseudo-terminal"
	exit 0
fi

tune -c 150 -a building=look -a measuring=look -- --impl sleep --limit 1s --budget 1
check_none "phases are drawn" 'not seen'
check "the program ends as it does elsewhere" '^(ended with 1)$'
check "in colors" '^(colored)$'
check_after "nothing of it stays" 'configurations' '^faults/small  '

tune -a measuring=suspend -a suspended=40x12 -a /25=interrupt -- --limit 1s --budget all
check "what was drawn stays when it is suspended" '^\[suspended\]$'
check_none "drawing goes on at another width, until the interrupt" 'not seen'
check "it ends in order" '^(ended with 130)$'
check_none "the last line is ended" 'not ended'
check_after "the summary is below what was drawn" 'C$' '^faults/small  '

# the reference and the finals say so, and time goes on while they last
sed -e 's/"name": "small"/"name": "slow"/' "$workloads/axpy.json" >slow.json
cp -r "$workloads/axpy" .
printf '%s\n' '#include <time.h>' 'void axpy_reference(const double *x, const double *y, double *out, long n, double alpha)' '{' \
	'	nanosleep(&(struct timespec){.tv_sec = 2}, 0);' '	for (long i = 0; i < n; i++) out[i] = alpha * x[i] + y[i];' '}' >axpy/reference.c
terminal -c 150 -a 'reference=look' -a 'finals=look' asctune run slow.json --device cpu --db live.db --budget 6 >screen
check_none "the reference and the finals are said" 'not seen'

# the finals say what they do and that they go on: here a launch takes half a second
sed -e 's/"BLOCK": {.*}/"BLOCK": {"values": [64, 256], "default": 256}/; s/"UNROLL": .*/"UNROLL": [1],/' "$workloads/axpy.json" >sleeps.json
sed -i 's/^#include <stdint.h>/#include <time.h>\n&/; s/^	const int64_t first = /	if (block_x == 0)\n		nanosleep(\&(struct timespec){.tv_nsec = 500000000}, 0);\n&/' axpy/kernel.c
terminal -c 150 -q 2000 -a 'warming up 0/2 finalists=look' -a 'so far=look' -a 'of at most 32=look' \
	-a '  about =interrupt' asctune run sleeps.json --device cpu --db live.db --budget 2 --impl loop >screen
check_none "steps of the finals are said, with seconds so far and about how many are left" 'not seen'
check_none "something is drawn every second" 'nothing was written'
check "no bar is full while the finals last" 'finals: round [0-9]* of at most 32  \([0-9]* disturbed  \)\{0,1\}\[[#█]*[.░][.░]*\]  about [0-9]* s left$'

LC_ALL=C tune -c 200 -a '[....................]=look' -- --impl wrong --budget 1
check_none "a bar of ASCII in an ASCII locale" 'not seen'
NO_COLOR=1 tune -a building=look -- --impl wrong --budget 1
check_none "drawn with NO_COLOR" 'not seen'
check_none "without colors" colored
TERM=dumb tune -a building=look -- --impl wrong --budget 1
check "nothing is drawn on a dumb terminal" 'not seen: building'
terminal -a building=look sh -c "asctune run $workloads/faults.json --device cpu --db live.db --impl wrong --budget 1 --json >json" >screen
check_none "drawn beside JSON that goes elsewhere" 'not seen'
check "and taken away" '^(ended with 1)$'
report "$(grep -vc '^{"type":' json)" "JSON lines are nothing else"

ASCTUNE_CACHE_DIR="$PWD/one" terminal -c 150 -a building=look -a ' failed: =look' asctune build "$workloads/faults.json" -D cpu --jobs 1 >screen
check_none "builds are drawn, with failures by kind" 'not seen'
check "and taken away, too" '^(ended with 1)$'
ASCTUNE_CACHE_DIR="$PWD/two" terminal -c 150 -a '/25=interrupt' asctune build "$workloads/faults.json" -D cpu --budget all >screen
check "an interrupted build ends in order" '^(ended with 130)$'

# a gate builds both sides of all kernels at once, and says so; the compiler here takes a second for each
if command -v git >/dev/null; then
	mkdir tree && printf '#!/bin/sh\ncase "$*" in *-shared*) sleep 1.0317 ;; esac\nexec cc "$@"\n' >slow-cc && chmod +x slow-cc
	export CC="$work/slow-cc"
	for k in one two; do cp -r "$workloads/axpy" tree/$k && sed "s|\"name\": \"axpy\"|\"name\": \"$k\"|; s|axpy/|$k/|" "$workloads/axpy.json" >tree/$k.json; done
	git -C tree init -q && git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m first
	ASCTUNE_CACHE_DIR="$work/three" asctune build tree -D cpu --budget 1 >/dev/null 2>&1 # the base, and what both sides need: one build of each kernel is left
	sed -i 's/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' tree/*/kernel.c
	echo "/* two */" >>tree/two/kernel.c
	(while [ ! -e over ]; do grep -lzx '1[.]0317' /proc/[0-9]*/cmdline 2>/dev/null | wc -l; sleep 0.1; done | sort -n | tail -1 >most) &
	(cd tree && ASCTUNE_CACHE_DIR="$work/three" terminal -c 100 -a building=look -a measuring=look asctune gate -D cpu --base HEAD) >screen
	unset CC
	touch over && wait
	check_none "builds and measurements of a gate are drawn" 'not seen'
	check_after "nothing of it stays" '^base ' '^[a-z]* *\(one\|two\)/small'
	[ "$(nproc)" -eq 1 ] || [ "$(cat most)" -gt 1 ]
	report $? "several compilers run at once, where there are processors ($(cat most))"
fi

# questions to a planner, each of which takes its time
npu="$root/tests/data/npu"
mkdir slow && sed 's/^elements=/sleep 0.3\n&/' "$npu/compiler/bishengir-compile" >slow/bishengir-compile && chmod +x slow/bishengir-compile
verify() { # TERMINAL-ARGUMENTS
	PYTHONPATH="$npu/python" TRITON_NPU_COMPILER_PATH="$PWD/slow" ASCTUNE_PYTHON_NPU=python3 ASCTUNE_CACHE_DIR="$PWD/npu" \
		terminal -c 150 "$@" asctune space "$npu/copy.json" --device Ascend910B3 --verify-with-compiler --jobs 2 >screen
}
verify -a ' of 12 variants answered=look' -a ' left=interrupt'
check_none "answers of a planner are counted, with the time left" 'not seen'
check "an interrupted verification ends in order" '^(ended with 130)$'
verify
check "and the next one goes on there" '12 variants; \([1-9]\|1[01]\) compiler'
check_none "nothing of its progress stays" 'answered'
echo "1..$n"
exit $failed
