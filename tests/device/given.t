#!/bin/sh
# From Python on a GPU: a kernel in CUDA and one in Triton are tuned against a function of the user's, a decorator and a library's autotuner take what was found,
# measure nothing and compute the same, also in a captured graph.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
python=${ASCTUNE_PYTHON:-python3}
build=${ASCTUNE_BUILD:-$here/../../build/dev}
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$base/cache}" TRITON_CACHE_DIR="$base/triton" PYTHONPATH="$here/../../tuner/python" PYTHONDONTWRITEBYTECODE=1
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

holds() { # PROGRAM ARGUMENT...: ends well, and every line that it prints begins with ok
	"$python" "$@" >"$base/lines" 2>"$base/said"
	status=$?
	grep -v '^ok' "$base/lines" | sed 's/^/# /'
	[ $status = 0 ] || tail -n 15 "$base/said" | sed 's/^/# /'
	[ $status = 0 ] && grep -q '^ok' "$base/lines" && ! grep -qv '^ok' "$base/lines"
}

check "a kernel in CUDA" holds "$here/../consumers/given/tune_c.py" "$base/add.cu"
if "$python" -c 'import torch, triton; torch.empty(1, device="cuda")' 2>/dev/null; then
	check "a kernel in Triton" holds "$here/given/tune_triton.py"
else
	n=$((n + 1))
	echo "ok $n - a kernel in Triton # SKIP $python has no PyTorch with Triton and CUDA"
fi
echo "1..$n"
exit $failed
