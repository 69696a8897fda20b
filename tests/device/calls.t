#!/bin/sh
# Implementations of three calls on a GPU: right results, built each on its own, timed from the first start to the last end; and calls that go wrong.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="$base/cache"
asctune list builders --json | grep -q '"name":"nvrtc","usable":true' || skip "$(asctune list builders | sed -n 's/^nvrtc  *no  *//p')"

explain() {
	sed 's/^/# /' "$base/err" | head -n 10
	grep '"type":"trial"' "$base/lines" | cut -c1-500 | sed 's/^/# /' | head -n 5
}
tune() { # WORKLOAD OPTION...
	asctune run "$@" --device cuda --json --db "$base/t.db" >"$base/lines" 2>"$base/err"
}
trials() { # WORDS: lines of trials that have them
	grep '"type":"trial"' "$base/lines" | grep -c "$1"
}
all_ok() {
	[ "$(trials '"status":"ok"')" -gt 0 ] && [ "$(trials '"status":"')" = "$(trials '"status":"ok"')" ]
}
objects() { # N: so many kernels were built, or fewer
	built=$(find "$base/cache/artifacts" -name '*.cubin' | wc -l)
	echo "# $built kernels"
	[ "$built" -gt 0 ] && [ "$built" -le "$1" ]
}
sums() { # a time is that of its kernels and of short gaps: none waits for a launch by the host; events tell none
	asctune best --db "$base/t.db" --json | grep -q '"clock":"activity"' || return 0
	ratios=$(grep '"type":"trial"' "$base/lines" | sed -n 's/.*"samples_ns":\[[0-9]*,\([0-9]*\).*"name":"kernels_ns","value":\([0-9.]*\).*/\1 \2/p')
	echo "# time and sum of the kernels, ns: $(echo "$ratios" | tr '\n' ',')"
	[ -n "$ratios" ] && echo "$ratios" | awk '$2 <= 0 || $1 < 0.7 * $2 || $1 > 4 * $2 { bad = 1 } END { exit bad }'
}
reason() { # CONFIGURATION STATUS WORDS
	grep '"type":"trial"' "$base/lines" | grep "\"config\":{$1}" | grep "\"status\":\"$2\"" | grep -q "$3"
}
built_nothing() {
	! grep '"type":"trial"' "$base/lines" | grep -q '"cached":false'
}

all="--problem small --strategy exhaustive --budget all --repeats 3"
tune "$here/calls.json" --impl three $all
check "every configuration of three calls is right" all_ok
check "a kernel for each value of a call's parameter, not for each configuration" objects 6
check "the sum of the kernels' times" sums
tune "$here/calls.json" --impl three $all
check "a second run compiles nothing" built_nothing
ASCTUNE_CUDA_CLOCK=event-blocked tune "$here/calls.json" --impl three $all
check "every configuration is right by events, too" all_ok
tune "$here/calls.json" --impl unordered $all
check "what is read before it was written is poison" reason '' wrong 'not finite'
tune "$here/calls.json" --impl faulty $all
check "the last call is right" reason '"FAULT":0' ok ''
check "a write behind a scratch tensor is found" reason '"FAULT":1' wrong 'outside of scratch tensor values'
check "a write before it" reason '"FAULT":2' wrong 'outside of scratch tensor'
check "a call that never ends is named" reason '"FAULT":3' timeout 'calls\[2\], join: ran past its limit'
check "a call that ends the context is named" reason '"FAULT":4' crashed 'calls\[2\], join: '
tune "$here/../../workloads/gated_mlp.json" --problem odd-bf16 --impl cublaslt --budget 20 --repeats 3
check "products of a vendor library and a kernel behind them" [ "$(trials '"status":"ok"')" -gt 0 ]
check "none of them is wrong" [ "$(trials '"status":"wrong"')" = 0 ]
echo "1..$n"
exit $failed
