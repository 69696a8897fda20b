#!/bin/sh
# What the program itself computes, or has recorded, is the reference on a GPU: what it leaves alone stays, and the device compares.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="$base/cache"

explain() {
	sed 's/^/# /' "$base/err" | head -n 10
	grep '"type":"trial"' "$base/lines" | cut -c1-500 | sed 's/^/# /' | head -n 8
}
tune() { # PROBLEM
	asctune run "$here/../cli/workloads/recorded.json" --device cuda --problem "$1" --strategy exhaustive --budget all --json --db "$base/t.db" >"$base/lines" 2>"$base/err"
}
found() { # VARIANT STATUS WORDS
	grep '"type":"trial"' "$base/lines" | grep "\"config\":{\"VARIANT\":$1}" | grep "\"status\":\"$2\"" | grep -q "$3"
}

asctune list builders --json | grep -q '"name":"nvrtc","usable":true' || skip "$(asctune list builders | sed -n 's/^nvrtc  *no  *//p')"
tune none
check "the program's configuration is right" found 0 ok '"verified_by":"own configuration"'
check "what it leaves alone is not to be written" found 1 wrong 'y: 16 of 32 elements overwritten, the first y\[1,0\] with -2: '
check "other numbers are wrong" found 2 wrong 'y: 16 of 32 elements differ, the first y\[0,0\]: -6.375 instead of -6 '
tune bit
check "recorded outputs count" found 0 ok '"verified_by":"recorded"'
check "a bit that differs is said" grep -q 'does not compute what was recorded to the bit: 1 of 32 elements of y differ, by 4.77e-07 at most' "$base/err"
check "what is left alone was not recorded" found 1 wrong 'y: 16 of 32 elements overwritten'
tune far
check "beyond the tolerance nothing is verified" grep -q 'problem far cannot be verified: .* element 1 of y is -5.5 instead of -4.5' "$base/err"
echo "1..$n"
exit $failed
