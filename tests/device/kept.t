#!/bin/sh
# What GPU kernels keep from one launch to the next: variables of their modules are put back before each launch, scratch memory is poisoned where outputs are.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="$base/cache"
asctune list builders --json | grep -q '"name":"nvrtc","usable":true' || skip "$(asctune list builders | sed -n 's/^nvrtc  *no  *//p')"

explain() {
	sed 's/^/# /' "$base/err" | head -n 10
	grep '"type":"trial"' "$base/lines" | cut -c1-600 | sed 's/^/# /' | head -n 8
}
tune() { # IMPLEMENTATION OPTION...
	impl=$1
	shift
	asctune run "$here/kept.json" --impl "$impl" --device cuda --strategy exhaustive --budget all --json --db "$base/t.db" "$@" >"$base/lines" 2>"$base/err"
}
came() { # CONFIGURATION STATUS WORDS
	grep '"type":"trial"' "$base/lines" | grep "\"config\":{$1}" | grep "\"status\":\"$2\"" | grep -q "$3"
}
time_of() { # CONFIGURATION: second sample, ns
	grep '"type":"trial"' "$base/lines" | grep "\"config\":{$1}" | sed -n 's/.*"samples_ns":\[[0-9]*,\([0-9]*\).*/\1/p' | head -n 1
}
slower() { # CONFIGURATION TIMES: than the one that keeps nothing, by that at least
	echo "# $1 takes $(time_of "$1") ns, without $(time_of '"KEEPS":0')"
	[ "$(time_of "$1")" -gt $(($2 * $(time_of '"KEEPS":0'))) ]
}

for caches in cold hot; do
	for clock in activity event-blocked; do
		ASCTUNE_CUDA_CLOCK=$clock tune keeps --cache $caches --repeats 9
		if [ $clock = activity ] && grep -q 'the clock "activity"' "$base/err"; then
			echo "# no CUPTI"
			continue
		fi
		on="$caches caches, $clock"
		check "nothing is kept ($on)" came '"KEEPS":0' ok ''
		check "a variable that begins as zero is put back ($on)" came '"KEEPS":1' ok '"name":"global_bytes"'
		check "one that begins as something else, too ($on)" came '"KEEPS":2' ok ''
		check "a counter that is set back stays right ($on)" came '"KEEPS":3' ok ''
		check "the device's heap is said ($on)" came '"KEEPS":4' ok 'heap.*keeps its contents from launch to launch'
		check "answers in variables are gone ($on)" slower '"KEEPS":5' 4
		ASCTUNE_CUDA_CLOCK=$clock tune twice --cache $caches --repeats 9
		check "each of two calls has its own ($on)" came '' ok '"name":"global_bytes"'
	done
done
tune keeps --no-race
check "answers in scratch memory are found out" came '"KEEPS":6' wrong 'as long when its outputs do not hold the right values yet'
check "the others are right" [ "$(grep '"type":"trial"' "$base/lines" | grep -c '"status":"wrong"')" = 1 ]
echo "1..$n"
exit $failed
