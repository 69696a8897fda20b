#!/bin/sh
# The recorder of captures over small programs, whose launches a stub driver takes: Triton's whole way of a launch for sm_90, without a GPU and torch.
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${ASCTUNE_PYTHON:-python3}
if ! "$python" -c 'import triton, numpy' 2>/dev/null; then
	echo "1..0 # SKIP $python has no Triton or no NumPy: ci/setup triton prints one that has"
	exit 0
fi
exec "$python" -B -W ignore "$root/tests/consumers/capture.py" "$root/tuner/python/asctune"
