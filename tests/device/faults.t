#!/bin/sh
# Kernels that go wrong on a GPU: each becomes its typed result, and the same kernel done right is measured after it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$base/cache}"

asctune run "$here/faults.json" --device cuda --strategy exhaustive --budget all --repeats 3 --limit 3s --json --db "$base/faults.db" \
	>"$base/lines" 2>"$base/err"
status=$?

came() { # FAULT AGAIN STATUS WORDS
	grep '"type":"trial"' "$base/lines" | grep "\"config\":{\"FAULT\":$1,\"AGAIN\":$2}" >"$base/one"
	sed 's/^/# /' "$base/one" | cut -c1-400
	grep -q "\"status\":\"$3\"" "$base/one" && grep -q "$4" "$base/one"
}
measured_after() { # FAULT: right, with times of its own
	came "$1" 1 ok '"samples_ns":\[[0-9]' && ! grep -q 'same code as' "$base/one"
}
left_out() { # FAULT REASON: the space knows that the device cannot run it
	measured_after "$1" && ! came "$1" 0 '' '' &&
		asctune space "$here/faults.json" --device cuda --explain "FAULT=$1,AGAIN=0" | grep -q "^$2.*does not hold"
}

check "the run ends well" [ $status = 0 ]
check "fault 7: left out, shared memory" left_out 7 launch.shared
check "fault 8: left out, a block of 2048 threads" left_out 8 'threads of a block'
while IFS='|' read -r fault want words; do
	check "fault $fault: $want, $words" came "$fault" 0 "$want" "$words"
	check "after it: measured" measured_after "$fault"
done <<END
0|ok|
1|crashed|illegal memory access
2|crashed|misaligned address
3|timeout|ran past its limit
4|wrong|wrote outside of tensor y
5|wrong|wrote outside of tensor y
6|wrong|wrote to tensor x, which is an input
9|crashed|unspecified launch failure
10|launch_failed|too many blocks in cooperative launch
11|launch_failed|no device memory for a buffer of
12|wrong|elements never written
13|wrong|not finite
14|wrong|outside of a scratch buffer
15|build_failed|not meant to compile
16|wrong|wrote outside of tensor y
17|wrong|wrote outside of tensor y
END
[ $failed = 0 ] || sed 's/^/# /' "$base/err"
echo "1..$n"
exit $failed
