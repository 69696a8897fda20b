# A Triton kernel for a tensor that begins where 16 does not divide the address: no wide loads, and an artifact of its own; 16 bytes further on it is that of the memory's begin.
# covers: triton.c kernel_request.c built_kernel.c
if ! asctune list builders --json | grep -q '"name":"triton","usable":true'; then # as where there is a Triton
	cat "$CASES/build_views.out"
	return
fi
export ASCTUNE_CACHE_DIR="$PWD/cache"
cat >kernel.py <<'END'
import triton
import triton.language as tl


@triton.jit
def twice(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at))
END
cat >reference.c <<'END'
#include <stdint.h>
void twice(const double *x, double *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = 2 * x[i];
}
END
cat >w.json <<'END'
{"asctune": 1, "name": "twice",
 "problems": [{"name": "at", "dims": {"N": 512, "AT": [0, 3, 4]}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "f32", "role": "in", "offset": "AT"},
             "out": {"shape": ["N"], "dtype": "f32", "role": "out", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": 0, "rtol": 1e-6}}}}},
 "reference": {"source": "reference.c", "entry": "twice", "arguments": [{"tensor": "x"}, {"tensor": "out"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "triton", "devices": ["cuda"], "source": "kernel.py", "entry": "twice", "parameters": {"BLOCK": [512]}, "arguments": [{"tensor": "x"}, {"tensor": "out"}]}]}
END
# A thread has four elements: one load, or four, and one store.
for at in 0 3 4; do
	asctune code w.json -D sm_90 -p at.AT$at --config default | sed -n "s/^global  *0  *\([0-9]*\) .*/at $at: \1 loads and stores/p"
done
asctune build w.json -D sm_90 --budget 1 -o made --json 2>err | grep -o '"path":"[^"]*\.cubin"' >cubins
echo "$(wc -l <cubins) kernels, $(sort -u cubins | wc -l) artifacts"
cat made/*.json | grep -o '"tensor": "x".*}' | sort
