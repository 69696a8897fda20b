# Triton kernels are looked at without a GPU: what a workload states of a kernel and the kernel lacks, and modules that do not behave, by file, implementation and both sides.
# covers: triton_kernel.c cmd_check.c
if ! asctune list builders --json | grep -q '"name":"triton","usable":true'; then # as where there is a Triton
	cat "$CASES/check_triton.out"
	return
fi
cat >kernel.py <<'END'
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)
END
cat >reference.c <<'END'
#include <stdint.h>
void add(const double *x, const double *y, double *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++) out[i] = x[i] + y[i];
}
END
cat >w.json <<'END'
{"asctune": 1, "name": "add", "operator": "add",
 "problems": [{"name": "p", "dims": {"N": 4104}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in"}, "y": {"shape": ["N"], "dtype": "T", "role": "in"},
             "out": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": 1e-6, "rtol": 1e-5}}}}},
 "reference": {"source": "reference.c", "entry": "add", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"tensor": "out"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "t", "devices": ["cuda"], "source": "kernel.py", "entry": "add",
   "parameters": {"BLOCK": [128, 256], "num_warps": [4]},
   "launch": {"grid": ["ceil_div(N, 256)"]},
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"tensor": "out"}, {"scalar": "N", "type": "i32"}]}]}
END
look() { # at edited.json
	run check-workload --python "${ASCTUNE_PYTHON:-python3}" edited.json 2>&1 | sed "s|$PWD/||; s/problem p: implementation t: //"
}
check() { # EDIT: of the implementation
	sed "6,\$$1" w.json >edited.json
	look
}
module() { # STATEMENT: at the head of the kernel's file
	{ printf '%s\n' "$1"; cat kernel.py; } >module.py
	sed 's/kernel\.py/module.py/' w.json >edited.json
	look
}
echo '- what the kernel has'
check 's/^//'
check 's/"entry": "add"/"entry": "ad"/'
check 's/"BLOCK": \[128, 256\]/"BLOK": [128]/'
check 's/"BLOCK": \[128, 256\], //'
check 's/"launch"/"constants": {"WIDTH": 3}, "launch"/'
check 's/"launch"/"constants": {"x": 3}, "launch"/'
check 's/, {"scalar": "N", "type": "i32"}//'
check 's/{"scalar": "N", "type": "i32"}/&, &/'
check 's/"num_warps": \[4\]/"num_warps": [3]/'
check 's/"source": "kernel.py", "entry": "add",//; s/"launch"/"calls": [{"source": "kernel.py", "entry": "add", "launch"/; /"i32"/s/, {"scalar".*/]}]}]}/'
echo "- what the compiler chooses"
check 's/"launch": {/&"block": [128], /'
check 's/"launch": {/&"shared": 4, /'
check 's/"launch"/"flags": ["-O3"], "launch"/'
echo '- modules'
module 'import os; print("x" * 10000000); os.write(2, b"y" * 1000000)'
module 'import os; os.fork()'
module 'import sys; sys.exit(3)'
module 'import os; os._exit(7)'
module 'import os; os.abort()'
module 'raise ValueError("bytes that are no text: \udc80")'
module 'import no_such_module'
module 'def broken(:'
echo '- a file of the folder that is called as a module of Python'
echo 'raise SystemExit(9)' >json.py
check 's/^//'
