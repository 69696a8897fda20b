# Kernels that are right on the tuned problem alone: at other sizes that vary, and on hard inputs, the next best is the answer; what is right there stays.
# covers: hard_check.c inputs_hard.c finals.c evaluator_worker.c workers.c
tried() { # WORKLOAD OPTION...
	asctune run "$@" --device cpu --strategy exhaustive --budget all --db $(basename "$1" .json).db >lines 2>err
	echo "exit $?"
	sed -n 's/^  \(c  *FAULT=[0-9]\).*/\1/p' lines
	sqlite3 $(basename "$1" .json).db "select config_key, status, reason from trial where status = 'wrong' order by config_key"
}
tried "$WORKLOADS/tails.json"
echo '- the next best was launched on, too'
sqlite3 tails.db "select config_key, compared >= 64 from final where winner"
for fault in 1 2; do
	run run "$WORKLOADS/tails.json" --device cpu --db tails.db --config FAULT=$fault 2>/dev/null | sed -n '/result/p; /exit/p'
done
echo '- what the workload does not name is not tried'
sed 's/"varies": \["M"\],//' "$WORKLOADS/tails.json" >tails.json
cp -r "$WORKLOADS/tails" .
asctune run tails.json --device cpu --strategy exhaustive --budget all --db fixed.db >lines 2>err
sed -n 's/^  \(c  *FAULT=[0-9]\).*/\1/p' lines
echo '- a size that a condition refuses is not tried'
sed 's/"varies": \["M"\],/&\n  "requires": ["M % 8 == 0"],/' "$WORKLOADS/tails.json" >tails.json
asctune run tails.json --device cpu --strategy exhaustive --budget all --db whole.db >lines 2>err
sed -n 's/^  \(c  *FAULT=[0-9]\).*/\1/p' lines
echo '- hard inputs'
tried "$WORKLOADS/hard.json"
echo '- numbers as those of the fill alone'
sed 's/, "domain": "any"//' "$WORKLOADS/hard.json" >hard.json
cp -r "$WORKLOADS/hard" .
rm -f hard.db
tried hard.json
echo '- a problem too large: its sizes are cut, and a kernel that is wrong there on any numbers is not judged by that'
for faults in '[5]' '[6]'; do
	sed 's/"M": 16/"M": 2048/; s/"FAULT": .*]}/"FAULT": '"$faults"'}/' "$WORKLOADS/hard.json" >hard.json
	rm -f hard.db
	tried hard.json
	grep 'not tried' err
done
echo '- one that is too large with any sizes: which cases that leaves is said, once'
sed 's/"M": 16/"M": 2048/; s/"FAULT": .*]}/"FAULT": [4, 5]}/; s/"operator"/"flops": "200000000", &/' "$WORKLOADS/hard.json" >hard.json
rm -f hard.db
tried hard.json
grep 'not tried' err
echo '- where two tails meet'
cat >corner.json <<'JSON'
{
  "asctune": 1, "name": "corner", "problems": [{"name": "p", "dims": {"M": 128, "N": 128}}], "varies": ["M", "N"],
  "tensors": {"x": {"shape": ["M", "N"], "dtype": "f32", "role": "in"}, "y": {"shape": ["M", "N"], "dtype": "f32", "role": "out", "verify": {"kind": "exact"}}},
  "reference": {"source": "corner.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "M * N", "type": "i64"}]},
  "implementations": [{"name": "c", "source": "corner.c", "entry": "copy", "parameters": {"FAULT": [1, 0]},
    "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "M", "type": "i64"}, {"scalar": "N", "type": "i64"}]}]
}
JSON
cat >corner.c <<'C'
#include <stdint.h>
#ifdef FAULT
/* Blocks of 8 by 16; FAULT leaves out what is in the last, unfinished one of both, and is faster. */
void copy(const float *x, float *y, int64_t m, int64_t n)
{
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++)
			y[i * n + j] = FAULT && i >= m / 8 * 8 && j >= n / 16 * 16 ? 0 : x[i * n + j];
	for (int64_t i = 0; !FAULT && i < 4 * m * n; i++)
		__asm__ volatile("");
}
#else
void reference(const double *x, double *y, int64_t all)
{
	for (int64_t i = 0; i < all; i++)
		y[i] = x[i];
}
#endif
C
asctune run corner.json --device cpu --strategy exhaustive --budget all --db corner.db >lines 2>err
sed -n 's/^  \(c  *FAULT=[0-9]\).*/\1/p' lines
sqlite3 corner.db "select config_key, status, substr(reason, 1, 51) from trial where status = 'wrong'"
exit 0
