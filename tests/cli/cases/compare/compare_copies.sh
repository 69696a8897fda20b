# Two copies of a workload in two folders meet in one process, in the same rounds: each brings its kernel, constants, grid and order of tensors and
# arguments. The clock is the kernels' own (tests/time_passes.c): the machine's load has no part in it.
# covers: measure_again.c binding_side.c worker_side.c
ASCTUNE_CACHE_DIR="$PWD/cache"; export ASCTUNE_CACHE_DIR
tests=$(dirname "$(command -v forbid)") # with libraries of the tests, which the sandbox lets a worker read there
LD_LIBRARY_PATH="$tests${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LD_PRELOAD=libtime_passes.so; export LD_LIBRARY_PATH LD_PRELOAD
mkdir old new
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" old
cp -r "$WORKLOADS/axpy" new
# of the copy: out comes first, the kernel's arguments stand in another order, half as many of them make a block, and alpha is a constant
python3 - <<'PY'
import json
w = json.load(open("old/axpy.json"))
w["tensors"] = {k: w["tensors"][k] for k in ("out", "y", "x")}
i = w["implementations"][0]
i["constants"] = {"ALPHA": "3"}
i["launch"]["grid"] = ["ceil_div(N, BLOCK // 2)"]
i["arguments"] = [{"builtin": "block_x"}, {"tensor": "out"}, {"scalar": "N", "type": "i64"}, {"tensor": "y"}, {"tensor": "x"}]
json.dump(w, open("new/axpy.json", "w"))
PY
# A says that it has run in this process, by its environment; B takes DELAY microseconds a launch, and MORE where A has
kernel() { # DELAY MORE
	cat >old/axpy/kernel.c <<C
#include <stdint.h>
#include <stdlib.h>
void time_passes(long us);
static long calls;
void axpy(const float *x, const float *y, float *out, int64_t n, float alpha, int64_t block_x)
{
	const int64_t first = block_x * BLOCK;
	setenv("A_HAS_RUN", "1", 1);
	time_passes(4000 + 13 * (calls++ % 32));
	for (int64_t i = first; i < first + BLOCK && i < n; i++)
		out[i] = alpha * x[i] + y[i];
}
C
	cat >new/axpy/kernel.c <<C
#include <stdint.h>
#include <stdlib.h>
void time_passes(long us);
static long calls;
void axpy(int64_t block_x, float *out, int64_t n, const float *y, const float *x)
{
	const int64_t half = BLOCK / 2, first = block_x * half;
	time_passes(($1 + (getenv("A_HAS_RUN") ? $2 : 0)) / (1024 / half) + 7 * (calls++ % 32));
	for (int64_t i = first; i < first + half && i < n; i++)
		out[i] = ALPHA * x[i] + y[i];
}
C
}
compare() { # prints verdict and, of each process, whether B took over half as long again
	asctune compare -D cpu old/axpy.json new/axpy.json --config BLOCK=1024 --json >out 2>err; echo "exit $?"; cat err
	grep -oE '"verdict":"[^"]*"|"same":[a-z]*|"reason":"[^"]*"' out
}
echo '--- as long as each other'
kernel 4000 0
compare
echo '--- a planted delay, which is there only where A has run in the same process'
kernel 4000 4000
compare
python3 -c 'import json; a, b = (s["median_ns"] for s in json.loads(open("out").read())["sides"]); print([round(y / x) for x, y in zip(a, b)])'
echo '--- B is wrong by the one reference of both'
sed -i 's/ALPHA \* x/ALPHA - x/' new/axpy/kernel.c
compare | sed 's/out: [0-9].*/out: ..."/'
echo '--- other inputs'
other() { sed "$1" new/axpy.json >new/other.json; asctune compare -D cpu old/axpy.json new/other.json; echo "exit $?"; }
other 's/"low": -1/"low": -2/'
other 's/"x": {"shape": \["N"\], "dtype": "T"/"x": {"shape": ["N"], "dtype": "f64"/'
other 's/"y"/"z"/g'
