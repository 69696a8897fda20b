#!/bin/sh
# Kernels that are built while the GPU is hidden, for the model that it is: a run finds all of them, compiles nothing, and is told the same registers, local
# and shared memory by the driver as the cubins say.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="$base/cache"
# The name of the model, from a build that asks the device.
model=$(ASCTUNE_CACHE_DIR="$base/other" asctune build "$here/../../workloads/gemm.json" --device cuda --problem odd --budget 1 --json 2>"$base/err" |
	sed -n 's/.*"type":"totals".*"arch":"\(sm_[0-9]*\)a*".*/\1/p')
[ -n "$model" ] || skip "nothing can be built for the GPU: $(head -n 1 "$base/err")"

explain() {
	sed 's/^/# /' "$base/err" | head -n 10
	[ ! -s "$base/differ" ] || { echo "# artifact, registers, local and shared bytes as the driver tells them:"; sed 's/^/# /' "$base/differ" | head -n 5; }
}
artifacts() {
	find "$base"/cache/artifacts/?? -name '*.cubin' -o -name '*.so' | wc -l
}
build() { # WORKLOAD OPTION...
	rm -f "$base/differ"
	CUDA_VISIBLE_DEVICES='' asctune build "$@" --device "$model" --json >"$base/built" 2>"$base/err"
	status=$?
	before=$(artifacts)
	sed -n 's/^{"type":"totals"/# &/p' "$base/built" | cut -c1-300
	return $status
}
tune() { # WORKLOAD OPTION...
	asctune run "$@" --device cuda --no-history --json --db "$base/t.db" >"$base/lines" 2>"$base/err"
}
compiled_nothing() { # neither kernels nor references
	trials=$(grep -c '"type":"trial"' "$base/lines")
	echo "# $trials trials, $before artifacts before and $(artifacts) behind them"
	[ "$trials" -gt 0 ] && ! grep '"type":"trial"' "$base/lines" | grep -q '"cached":false' && [ "$(artifacts)" = "$before" ]
}
as_told() { # of each artifact that was launched
	sed -n 's/.*"artifact":"\([^"]*\)",.*"registers":\([0-9]*\),"local_bytes":\([0-9]*\),.*"shared_bytes":\([0-9]*\)}.*/\1 \2 \3 \4/p' "$base/built" | sort -u >"$base/read"
	grep '"type":"trial"' "$base/lines" | sed -n 's/.*"artifact":"\([^"]*\)".*"name":"registers","value":\([0-9]*\).*"name":"local_bytes","value":\([0-9]*\).*"name":"shared_bytes","value":\([0-9]*\).*/\1 \2 \3 \4/p' |
		sort -u >"$base/told"
	comm -13 "$base/read" "$base/told" >"$base/differ"
	echo "# $(wc -l <"$base/told") kernels compared, e.g. $(head -n 1 "$base/told") beside $(grep "^$(cut -c1-32 "$base/told" | head -n 1)" "$base/read")"
	[ -s "$base/told" ] && [ ! -s "$base/differ" ]
}

hidden() {
	CUDA_VISIBLE_DEVICES='' asctune list devices --json | grep -q '"name":"cuda","usable":false'
}
check "the GPU can be hidden" hidden

usable() { # BUILDER
	asctune list builders --json | grep -q "\"name\":\"$1\",\"usable\":true"
}
if usable nvrtc; then
	gemm="$here/../../workloads/gemm.json --problem odd --impl simt"
	sdpa="$here/../../workloads/sdpa.json --problem tiny-causal-f16 --impl flash"
	for kernel in gemm sdpa; do
		eval "arguments=\$$kernel"
		check "$kernel: every configuration is built without the GPU" build $arguments --budget all
		tune $arguments --budget 100
		check "$kernel: a run compiles nothing" compiled_nothing
		check "$kernel: the driver tells what the cubins say" as_told
	done
fi
# Some tenths of a second each: the same draw on both sides.
if usable triton; then
	for arguments in "$here/../../workloads/gemm.json --problem odd-f16 --impl triton" "$here/../../workloads/sdpa.json --problem tiny-causal-f16 --impl triton-descriptors"; do
		name=$(basename "${arguments%%.json*}")
		check "$name: Triton kernels are built without the GPU" build $arguments --budget 12 --seed 5
		tune $arguments --budget 12 --strategy random --seed 5 --repeats 3
		check "$name: a run with the same draw compiles nothing" compiled_nothing
		check "$name: the driver tells what the cubins of Triton say" as_told
	done
fi
echo "1..$n"
exit $failed
