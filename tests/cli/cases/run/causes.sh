# What failing configurations have in common, and what it points at, is said below the example.
# covers: tally.c run_answer.c
mkdir w
cat >w/copy.c <<'C'
#include <stdint.h>

void copy(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] + WRONG;
	if (TILE == 64)
		y[n + 16] = 0;
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
  "problems": [{"name": "p", "dims": {"N": 4000}, "dtypes": {"T": "f32"}}],
  "tensors": {
    "x": {"shape": ["N"], "dtype": "T", "role": "in", "fill": {"kind": "normal", "mean": 0, "std": 1}},
    "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}
  },
  "flops": "N",
  "bytes": "sizeof(x) + sizeof(y)",
  "reference": {"source": "w/reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
  "implementations": [
    {"name": "copy", "devices": ["cpu"], "builder": "cc", "source": "w/copy.c", "entry": "copy",
     "parameters": {"TILE": {"values": [16, 32, 64], "default": 16}, "UNROLL": {"values": [1, 4], "default": 1}},
     "flags": ["-DWRONG=0"],
     "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}
  ]
}
J
try() { # the paragraphs of failures, without the commands that repeat them
	asctune run w.json -D cpu --cache hot --repeats 3 --strategy exhaustive --budget all --db r.db >out 2>&1
	echo "exit $?"; sed -n '/^  \(crashed\|wrong\|build_failed\) /,/repeat:/{/repeat:/!p}' out | sed 's/copy TILES*=[0-9]*,UNROLL=[0-9]*/copy CONFIG/'
}
echo '-- two of one tile crash, the others pass'; try
echo '-- a kernel that is wrong with every parameter'
sed -i 's/WRONG=0/WRONG=1/' w.json; sed -i 's/if (TILE == 64)/if (TILE < 0)/' w/copy.c; try
echo '-- a tail that is not written'
sed -i 's/WRONG=1/WRONG=0/' w.json; sed -i 's/i < n; i++/i < n - 16; i++/' w/copy.c; try
echo '-- a parameter that the workload does not have'
sed -i 's/"TILE": {/"TILES": {/' w.json; try
echo '-- a name that is none of a macro'
sed -i 's/TILE < 0/tile < 0/' w/copy.c; try
