#!/bin/sh
# Tunings on the stand-in for an NPU, with a fault each: what a user is told, and what is best, are right whatever the fault. Takes $ASCTUNE_BUILD.
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH"
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-standin.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache"
cd "$work" || exit 1
n=0

export ASCTUNE_PYTHON_NPU=/nowhere/python # these are about the stand-in: no planner is asked
tune() { # FAULT OPTION...
	fault=$1
	shift
	rm -f x.db* once
	STANDIN=$fault asctune run "$root/tests/bench/workloads/standin.json" --problem tiles --device npu:sim:Ascend910B3 --db x.db --json "$@" >lines 2>err
	rc=$?
}
statuses() { # STATUS: number of trials that have it
	grep '"type":"trial"' lines | grep -c "\"status\":\"$1\""
}
best() { # of the run: its TILE and time in ns
	sed -n 's/.*"type":"summary".*"best":{"implementation":"tiles","config":{"TILE":\([0-9]*\),[^}]*},"config_key":"[^"]*","median_ns":\([0-9]*\).*/\1 \2/p' lines
}
is() { # NAME CONDITION...
	n=$((n + 1))
	name=$1
	shift
	if "$@"; then
		echo "ok $n - $fault: $name"
	else
		echo "not ok $n - $fault: $name"
		echo "# exit status $rc, best: $(best), $(sed -n 's/.*\("statuses":{[^}]*}\).*/\1/p' lines)"
		head -n 5 err | sed 's/^/# /'
	fi
}
wins() { # TILE [LEAST MOST]: exit status 0, and that tile is best, in a time between these
	[ "$rc" = 0 ] && [ "$(best | cut -d' ' -f1)" = "$1" ] &&
		{ [ $# = 1 ] || { [ "$(best | cut -d' ' -f2)" -ge "$2" ] && [ "$(best | cut -d' ' -f2)" -le "$3" ]; }; }
}
says() { # WORDS
	grep -q "$1" lines err
}

# The stand-in's model: 64 programs of 1024 elements on 40 cores take 5.2 us.
tune ''
is "the fastest is best" wins 1024 5050 5300
is "nothing fails" [ "$(statuses ok)" -gt 5 -a $(($(statuses ok) + $(statuses slow))) = 28 ]
tune fault=wrong=grid
is "a kernel that is right only while blocks are no more than cores is not best" wins 1640
is "what has more blocks is wrong" [ "$(statuses wrong)" -ge 4 ]
tune fault=wrong=grid:64
is "a wrong kernel is not best" wins 1640
is "it is wrong" [ "$(statuses wrong)" = 4 ]
tune fault=wrong=tail
is "a kernel that is wrong in its last block" [ "$(statuses wrong)" = 4 ]
tune fault=nan=grid:64
is "a kernel with a NaN is not best" wins 1640
tune fault=aicore=grid:64
is "the others go on" wins 1640
is "a kernel with an exception has crashed" [ "$(statuses crashed)" = 4 ]
is "the reason has the runtime's words" says AICORE_EXCEPTION
tune fault=hang=grid:64 --limit 500ms
is "a kernel that does not end times out, the others go on" wins 1640
is "its trials have the result" [ "$(statuses timeout)" = 4 ]
tune "fault=err=507015@200;once=$work/once" --trust
is "a call that loses the context ends no run" wins 1024
is "it was lost once" [ -e once ]
tune fault=oom=2
is "memory that ends is named, nothing is measured" [ "$rc" = 3 ]
is "with the tensor" says 'tensor out: no device memory'

tune fault=zero
is "records without times make no result" [ "$rc" = 1 -a "$(statuses ok)" = 0 ]
tune fault=rows=0
is "no record makes no result" [ "$rc" = 1 -a "$(statuses ok)" = 0 ]
tune fault=rows=2
is "two records are summed" wins 1024 5050 5300
tune fault=drop=0.05
is "records that are lost make no time" wins 1024 5050 5300
tune fault=reorder
is "records in another order" wins 1024 5050 5300
tune fault=drift
is "a clock that drifts and steps back" wins 1024 5050 5300
tune fault=ramp
is "a clock that rises" wins 1024 5050 9000
tune fault=spike=0.05
is "outliers" wins 1024 5050 5400
tune fault=preload
asctune show --db x.db 1 >>err
is "a library that wants to be preloaded is" says '^ *clock  *mspti'
tune soc=Ascend910B9
is "the target's name goes before the control's" wins 1024
tune fault=slow
is "a control that is not understood" [ "$rc" -ne 0 ]
is "with the stand-in's words" says 'there is no fault'
echo "1..$n"
