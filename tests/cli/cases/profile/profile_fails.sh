# A kernel that fails while it is profiled: the reason says in which pass, and what is on record stays.
# covers: profiling.c profile_config.c workers.c
mkdir late && cat >late/late.c <<'C'
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
/* A tenth of a millisecond; from launch LATE on it does what HOW says. Times take 40 to 80 launches, two passes of counters more than 100. */
void late(const float *x, float *y, int64_t n)
{
	static int launches;
	volatile float sum = 0;

	for (int i = 0; i < 40000; i++)
		sum += 1;
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	if (++launches < LATE)
		return;
	if (HOW == 1)
		abort();
	if (HOW == 2)
		for (;;)
			pause();
	if (HOW == 3)
		y[0] = 1;
}
C
cat >late/reference.c <<'C'
#include <stdint.h>
void reference(const double *x, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}
C
cat >late.json <<'JSON'
{"asctune": 1, "name": "late", "problems": [{"name": "only", "dims": {"N": 1000}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in"},
  "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": "0", "rtol": "2.0 ** -23"}}}}},
 "reference": {"source": "late/reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "late", "devices": ["cpu"], "builder": "cc", "source": "late/late.c", "entry": "late",
  "parameters": {"HOW": [0, 1, 2, 3], "LATE": [100]}, "launch": {"grid": [1], "threads": 1},
  "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
JSON
for how in 1 2 3; do
	run run late.json --device cpu --config HOW=$how,LATE=100 --repeats 3 --limit 2s --db f.db >/dev/null 2>&1
	run profile late.json --device cpu --config HOW=$how,LATE=100 --cache hot --db f.db 2>&1 | grep -ioE 'crashed: in pass [12]|timeout: in pass [12]|wrong: in a later launch|^exit.*' | sed "s,pass [12],pass N,"
done
# What limits a kernel that is wrong, or that never ran, is not said; without objdump, why its code is not looked at.
run profile late.json --device cpu --config HOW=3,LATE=100 --cache hot --db f.db --json 2>&1 | grep -o '"label":.*"sentence":"[^"]*"'
echo '#error no' >late/late.c
run profile late.json --device cpu --config HOW=0,LATE=100 --db f.db 2>/dev/null | sed -n 's/^  \(unknown.*\)/\1/p; s/.*\(build_failed\).*/\1/p; /^exit/p'
mkdir bin && for program in "${CC:-cc}" gcc clang as ld; do [ -z "$(command -v "$program")" ] || ln -sf "$(command -v "$program")" bin/; done
asctune=$(command -v asctune)
cp "$WORKLOADS/axpy.json" . && cp -r "$WORKLOADS/axpy" .
PATH="$PWD/bin" "$asctune" profile axpy.json -p small --device cpu --config default --db g.db --json | grep -o '"what":"code_instructions","reason":"[^"]*"'
sqlite3 f.db "SELECT status FROM trial; SELECT strategy, outcome FROM run WHERE strategy = 'profile'"
