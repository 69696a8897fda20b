#!/bin/sh
# Elements of 8 bits on a GPU, f8e4m3 and f8e5m2, from kernels of CUDA and of Triton, one through descriptors: all codes are read, products are rounded, and what is wrong is found.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="$base/cache"

explain() {
	sed 's/^/# /' "$base/err" | head -n 10
	grep '"type":"trial"' "$base/lines" | cut -c1-500 | sed 's/^/# /' | head -n 8
}
tune() { # PROBLEM IMPLEMENTATION
	asctune run "$here/../cli/workloads/f8.json" --problem "$1" --impl "$2" --device cuda --strategy exhaustive --budget all --repeats 3 --json \
		--db "$base/t.db" >"$base/lines" 2>"$base/err"
}
found() { # CONFIGURATION STATUS WORDS
	grep '"type":"trial"' "$base/lines" | grep "\"config\":{$1}" | grep "\"status\":\"$2\"" | grep -q "$3"
}

asctune list builders --json | grep -q '"name":"nvrtc","usable":true' || skip "$(asctune list builders | sed -n 's/^nvrtc  *no  *//p')"
tune e4m3 cuda
! grep -q 'compute_capability >= 89" does not hold' "$base/err" || skip "no conversions of 8 bits before compute capability 8.9"
for problem in e4m3 e5m2; do
	tune $problem cuda
	check "$problem: a CUDA kernel is right" found '"FAULT":0' ok ''
	check "$problem: one that rounds to zero is wrong" found '"FAULT":1' wrong 'of 256 elements differ, the first y'
	check "$problem: an element that is left out is named" found '"FAULT":2' wrong '1 of 256 elements never written, the first y.2,5.'
	check "$problem: NaN is no number" found '"FAULT":3' wrong 'not finite'
	asctune list builders --json | grep -q '"name":"triton","usable":true' || continue
	tune $problem triton
	check "$problem: a Triton kernel is right" found '' ok ''
	tune $problem descriptors # from compute capability 9.0 on
	! grep -q '"implementation":"descriptors"' "$base/lines" || check "$problem: one through descriptors, too" found '' ok ''
done
echo "1..$n"
exit $failed
