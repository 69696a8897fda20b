# Scratch memory of a call is poison where outputs are: a kernel that counts on zeros there is wrong, and so is one that finds its answers there.
# covers: worker_config.c
mkdir own
cat >own/w.json <<'JSON'
{"asctune": 1, "name": "scale", "operator": "scale",
 "problems": [{"name": "p", "dims": {"N": 1000}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "i32", "role": "in", "fill": {"kind": "uniform", "low": 1, "high": 100}},
             "y": {"shape": ["N"], "dtype": "i32", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "scale",
   "parameters": {"KEEPS": {"values": [0, 1, 2], "default": 0}},
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scratch": "4 * N + 4"}, {"scalar": "N", "type": "i64"}]}]}
JSON
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }' >own/reference.c
cat >own/kernel.c <<'C'
#include <stdint.h>
#include <string.h>

enum { MARK = 0x600d };

void scale(const int32_t *x, int32_t *y, int32_t *scratch, int64_t n)
{
	if (KEEPS == 2 && scratch[n] == MARK) {
		memcpy(y, scratch, (uint64_t)n * sizeof *y);
		return;
	}
	for (int64_t i = 0; i < n; i++) {
		for (int k = 0; k < 2000; k++)
			__asm__ volatile("");
		y[i] = 2 * x[i];
		if (KEEPS == 1)
			y[i] += scratch[i];
		if (KEEPS == 2)
			scratch[i] = y[i];
	}
	scratch[n] = MARK;
}
C
asctune run own/w.json --device cpu --strategy exhaustive --budget all --json --db own.db >lines 2>err
echo "exit $?"
sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2/p' lines | tr -d '"' | sort -u
sed -n 's/.*"type":"trial",.*"reason":"\([^"]*\)".*/\1/p' lines | sed 's/takes [0-9.e+]* x/takes N x/; s/; largest.*//; s/elements differ.*/elements differ/' | sort -u
