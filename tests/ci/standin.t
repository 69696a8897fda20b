#!/bin/sh
# The conformance program on the stand-in for an NPU: with the newest functions of the runtime, with those of three years before, with the library that is split off, and
# with each clock. Takes $ASCTUNE_BUILD; under its sanitizers where it has some.
cd "$(dirname "$0")/../.."
build=${ASCTUNE_BUILD:-build/dev}
n=0
conform() { # FOLDER CLOCK
	n=$((n + 1))
	out=$(ASCTUNE_CANN=$build/standin/$1 ASCTUNE_NPU_CLOCK=$2 STANDIN=soc=Ascend910B3 "$build/tests/t-device.t" npu sim:Ascend910B3 2>&1)
	status=$?
	checks=$(printf '%s\n' "$out" | grep -c '^ok .* - ')
	if [ "$status" = 0 ] && [ "$checks" -gt 150 ] && ! printf '%s\n' "$out" | grep -q '^not ok'; then
		echo "ok $n - the conformance program with $1, clock $2: $checks checks"
	else
		echo "not ok $n - the conformance program with $1, clock $2: exit status $status, $checks checks"
		printf '%s\n' "$out" | grep -A4 '^not ok\|ERROR\|runtime error' | head -n 40 | sed 's/^/# /'
	fi
}

case $build in /*) ;; *) build=$PWD/$build ;; esac
for folder in head split 2025 2023 2022; do
	conform "$folder" mspti
done
conform head event
echo "1..$n"
