#!/bin/sh
# Tensors that are views, on a GPU: right kernels of CUDA and of Triton, one through a descriptor, and kernels that write where nothing of an output is.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="$base/cache"
views="$here/../cli/workloads/views.json"

explain() {
	sed 's/^/# /' "$base/err" | head -n 10
	grep '"type":"trial"' "$base/lines" | cut -c1-500 | sed 's/^/# /' | head -n 8
}
tune() { # IMPLEMENTATION [FILE]
	asctune run "${2:-$views}" --impl "$1" --device cuda --strategy exhaustive --budget all --repeats 3 --json --db "$base/t.db" >"$base/lines" 2>"$base/err"
}
found() { # CONFIGURATION STATUS WORDS
	grep '"type":"trial"' "$base/lines" | grep "\"config\":{$1}" | grep "\"status\":\"$2\"" | grep -q "$3"
}

asctune list builders --json | grep -q '"name":"nvrtc","usable":true' || skip "$(asctune list builders | sed -n 's/^nvrtc  *no  *//p')"
tune cuda
check "a kernel that goes by the strides is right" found '"FAULT":0' ok ''
check "one that does not has written between elements" found '"FAULT":1' wrong 'between the elements of tensor y, 80 bytes from its start'
check "what an output holds that was an input is put back" found '"FAULT":2' wrong 'after: 20 of 20 elements differ, the first after.0.: 10 instead of 11'
check "a gap behind a row is kept" found '"FAULT":3' wrong 'between the elements of tensor y, 336 bytes from its start'
check "an input among outputs" found '"FAULT":4' wrong 'wrote to tensor bias, which is an input'
check "the gap of an input" found '"FAULT":5' wrong 'wrote to tensor x, which is an input'
check "what lies before the first element" found '"FAULT":6' wrong 'outside of tensor y, 8 bytes before its start'
check "what lies behind the memory" found '"FAULT":7' wrong 'wrote outside of tensor'
if asctune list builders --json | grep -q '"name":"triton","usable":true'; then
	tune triton
	check "a kernel of Triton is right, with an address that 16 does not divide and a descriptor" found '' ok ''
fi
tune cuda "$here/../cli/workloads/halves.json"
check "arguments that are views: halves of rows, and a part of an output" found '"FAULT":0' ok ''
check "another part of it" found '"FAULT":1' wrong 'out: '
echo "1..$n"
exit $failed
