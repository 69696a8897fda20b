#!/bin/sh
# Kernels written out as modules of their own, by _cut.py, from objects and from texts: compiled for sm_90 without the package that they come from, the code is the
# same. Needs Triton alone.
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${ASCTUNE_PYTHON:-python3}
if ! "$python" -c 'import triton' 2>/dev/null; then
	echo "1..0 # SKIP $python has no Triton: ci/setup triton prints one that has"
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-cut.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export TRITON_CACHE_DIR="$work/cache"
"$python" -B -W ignore "$root/tests/consumers/cut/compare.py" "$root/tuner/python"
