#!/bin/sh
# softmax, rms_norm and matmul by numpy are called from a worker in that Python and verified as kernels are, views with gaps among them.
# $ASCTUNE_PYTHON is one with numpy, else it is skipped. Takes $ASCTUNE_BUILD.
# covers: python_call.c python_worker.c
root=$(cd "$(dirname "$0")/../.." && pwd)
asctune="${ASCTUNE_BUILD:-$root/build/dev}/asctune"
python=${ASCTUNE_PYTHON:-python3}
"$python" -c 'import numpy' 2>/dev/null || { echo "1..0 # SKIP $python has no numpy: ci/setup triton prints one that has"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-numpy.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
"$root/tests/data/calls/make_workloads.py" "$work" || exit 1
cd "$work" || exit 1
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$work/cache}"
n=0
check() { # WORKLOAD PROBLEM...
	workload=$1
	shift
	for problem; do
		n=$((n + 1))
		"$asctune" run "$workload.json" --problem "$problem" --impl numpy --device cpu --python "$python" --repeats 3 --no-history --db r.db --json >lines 2>err
		if grep '"type":"trial"' lines | grep -q '"status":"ok".*"verified_by":"float64"'; then echo "ok $n - $workload $problem"; else
			echo "not ok $n - $workload $problem"
			{ cat err; grep '"type":"trial"' lines; } | cut -c 1-300 | sed 's/^/# /'
		fi
	done
}
check softmax odd
check rms_norm strided odd
check gemm odd

# A double of PyTorch that has one function: the answer of a shipped workload says how many times as long that takes.
mkdir double && cat >double/torch.py <<'END'
import numpy

def from_dlpack(tensor):
    return numpy.asarray(tensor)

def set_num_threads(n):
    pass

def softmax(x, dim):
    powers = numpy.exp(x - x.max(dim, keepdims=True))
    return powers / powers.sum(dim, keepdims=True)
END
PYTHONPATH="$PWD/double" "$asctune" run "$root/workloads/softmax.json" --problem odd --device cpu --python "$python" --budget 4 --repeats 3 --no-history --db r.db >lines 2>err
n=$((n + 1))
if grep -q '^softmax/odd .*[0-9]x eager' lines; then echo "ok $n - the answer beside PyTorch's"; else
	echo "not ok $n - the answer beside PyTorch's"
	cat lines err | cut -c 1-300 | sed 's/^/# /'
fi
echo "1..$n"
