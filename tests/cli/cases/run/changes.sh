# What a launch finds changes behind the finals: inputs from one launch to the next, and poison beside a part of the answer. Kernels that go by what is there are wrong then, and only then.
# covers: repeats.c worker_sets.c worker_problem.c worker_config.c
cat >w.json <<'JSON'
{"asctune": 1, "name": "half", "operator": "half",
 "problems": [{"name": "p", "dims": {"N": 4000}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "f32", "role": "in"},
             "y": {"shape": ["N"], "dtype": "f32", "role": "out", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": 0, "rtol": 1e-6}}}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "half",
   "parameters": {"LOOK": {"values": [0, 1, 2], "default": 0}},
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
JSON
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = i < n / 2 ? 2 * x[i] : 0; }' >reference.c
cat >kernel.c <<'C'
#include <stdint.h>
/* LOOK 1 leaves outputs that have no poison. 2 leaves the zeros where the last one is there. */
void half(const float *x, float *y, int64_t n)
{
	int64_t poisoned = 0, until = n;
	for (int64_t i = 0; i < n; i++)
		poisoned += y[i] != y[i];
	if (LOOK == 1 && !poisoned)
		until = 0;
	if (LOOK == 2 && y[n - 1] == 0)
		until = n / 2;
	for (int64_t i = 0; i < until; i++)
		y[i] = i < n / 2 ? 2 * x[i] : 0;
	/* Slower than those. */
	for (int k = 0; LOOK == 0 && k < 3000; k++)
		__asm__ volatile("");
}
C
tune() { asctune run --trust w.json -D cpu --strategy exhaustive --budget all "$@" >lines 2>err; echo "exit $?"; }
tune --races 500 --db w.db
# LOOK=1 is found there, or behind the inputs that it met in the rounds.
sed -n 's/^  \(own  LOOK=.\).*/\1/p' lines
sqlite3 w.db "select config_key, reason from trial where status = 'wrong' order by config_key" | sed 's/in 1 of [1-9][0-9]* launches/in 1 of N launches/; s/: y: .*//; s/: with the inputs of seed [0-9]*//; s/launches, one on inputs .*had just changed\(: gives the answer to those before\)*/launches/'
sqlite3 w.db "select compared >= 64, varied from final where winner"
# Where poison takes long beside a launch, one is timed beside its own answer in place of samples on poison.
echo '- without such launches they pass, unless their time tells'
tune --races 0 --db none.db
sqlite3 none.db "select count(*) from trial where status = 'wrong' and reason not like 'takes %'"
