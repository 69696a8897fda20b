# A kernel or a reference that dies beside a tensor says beside which one, and where.
# covers: buffer_label.c cpu_fault.c
mkdir w
cat >w/fault.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

void fault(const float *x, float *y, const float *bias, int64_t n, int64_t columns)
{
	switch (FAULT) {
	case 1: y[n + 6] = 1; break;
	case 2: y[0] = x[n]; break;
	case 3: y[-2] = 1; break;
	case 4: ((float *)(uintptr_t)x)[3] = 1; break;
	case 5: y[0] = bias[2]; break;
	case 7:
		for (int i = 0; i < 5000; i++)
			fprintf(stderr, "row %d\n", i);
		y[n] = 1;
		break;
	case 8: setrlimit(RLIMIT_AS, &(struct rlimit){1 << 26, 1 << 26}); break;
	case 6: y[0] = *(volatile float *)(uintptr_t)columns; break;
	default:
		for (int64_t i = 0; i < n; i++)
			y[i] = x[i];
	}
}
C
cat >w/reference.c <<'C'
#include <stdint.h>

void reference(const double *x, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i];
}
C
cat >w.json <<'J'
{
  "asctune": 1, "name": "w", "operator": "copy",
  "problems": [
    {"name": "right", "dims": {"M": 8, "N": 4096, "READS": 32768}, "dtypes": {"T": "f32"}},
    {"name": "odd", "dims": {"M": 1, "N": 9, "READS": 9}, "dtypes": {"T": "f32"}},
    {"name": "far", "dims": {"M": 8, "N": 4096, "READS": 32776}, "dtypes": {"T": "f32"}}
  ],
  "tensors": {
    "x": {"shape": ["M", "N"], "dtype": "T", "role": "in", "fill": {"kind": "normal", "mean": 0, "std": 1}},
    "bias": {"shape": ["N"], "dtype": "T", "role": "in", "optional": "M > 1000", "fill": {"kind": "normal", "mean": 0, "std": 1}},
    "y": {"shape": ["M", "N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}
  },
  "flops": "M * N",
  "bytes": "sizeof(x) + sizeof(y)",
  "reference": {"source": "w/reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "READS", "type": "i64"}]},
  "implementations": [
    {"name": "fault", "devices": ["cpu"], "builder": "cc", "source": "w/fault.c", "entry": "fault",
     "parameters": {"FAULT": {"values": [0, 1, 2, 3, 4, 5, 6, 7, 8], "default": 0}},
     "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"tensor": "bias"}, {"scalar": "M * N", "type": "i64"}, {"scalar": "N", "type": "i64"}]}
  ]
}
J
asctune check-workload w.json
asctune run w.json -D cpu -p right --cache hot --repeats 3 --strategy exhaustive --json --db r.db >lines 2>err
echo "exit $?"; cat err
sqlite3 r.db "select config_key, status, reason from trial order by config_key"
# memory beside a tensor that is no multiple of a cache line: no signal, the reason says where all the same
for fault in 1 3 7; do
	asctune run w.json -D cpu -p odd --cache hot --repeats 3 --config FAULT=$fault --db o.db >out 2>&1
done
sqlite3 o.db "select config_key, status, reason from trial order by config_key"
asctune run w.json -D cpu -p far --cache hot --db r.db >out 2>&1
echo "exit $?"; grep -o 'w.json: .*' out
# a fill function
cat >w/fill.c <<'C'
#include <stdint.h>

void fill(double *out, int64_t n, uint64_t seed)
{
	(void)seed;
	out[n] = 0;
}
C
sed -i '0,/"fill": {[^}]*}/s//"fill": {"kind": "function", "source": "w\/fill.c", "entry": "fill"}/' w.json
asctune run w.json -D cpu -p right --cache hot --db r.db >out 2>&1
echo "exit $?"; grep -o 'w.json: .*' out
