# Inputs that a function takes long to make: it makes them once, there is one set, which is said, and the other inputs are those that change unseen. Where functions make all
# inputs, none is made again to compare sets, nor by the next run, which finds them beside the reference, unless that file is damaged.
# covers: worker_setup.c worker_sets.c
mkdir slow
cd slow
cat >fill.c <<'END'
#include <stdint.h>
#include <time.h>
void fill(double *out, int64_t n, uint64_t seed)
{
	const struct timespec pause = {0, 400000000};

	nanosleep(&pause, 0);
	for (int64_t i = 0; i < n; i++)
		out[i] = (double)((seed + (uint64_t)i) % 7);
}
END
echo '#include <stdint.h>
void reference(const double *x, const double *w, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = x[i] + w[i]; }' >reference.c
echo '#include <stdint.h>
void add(const float *x, const float *w, float *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = x[i] + w[i]; }' >kernel.c
cat >slow.json <<'END'
{"asctune": 1, "name": "slow", "operator": "add", "description": "Adds; one input takes long to make.",
 "problems": [{"name": "p", "dims": {"N": 1000}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "f32", "role": "in", "fill": {"kind": "function", "source": "fill.c", "entry": "fill"}},
  "w": {"shape": ["N"], "dtype": "f32", "role": "in"},
  "y": {"shape": ["N"], "dtype": "f32", "role": "out", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": 0, "rtol": 1e-6}}}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "w"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "c", "devices": ["cpu"], "source": "kernel.c", "entry": "add",
  "arguments": [{"tensor": "x"}, {"tensor": "w"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
END
for time in first second; do
	asctune run slow.json --device cpu --db $time.db >lines 2>err
	echo "$time: exit $?"
	sed -n "s/ take [0-9.]* m*s to/ take SOME TIME to/p" err
	sqlite3 $time.db "select status from trial"
done
sed 's|#include <time.h>|&\n#include <stdio.h>|; s|nanosleep|FILE *calls = fopen("calls", "a");\n\tif (calls \&\& fprintf(calls, "%lld\\n", (long long)n) > 0)\n\t\tfclose(calls);\n\tnanosleep|' fill.c >counted.c
sed 's/fill\.c/counted.c/; s/"w": {"shape": \["N"\], "dtype": "f32", "role": "in"}/"w": {"shape": ["N"], "dtype": "f32", "role": "in", "fill": {"kind": "constant", "value": 1}}/' slow.json >all.json
for time in first second damaged; do
	if [ $time = damaged ]; then
		for file in "$ASCTUNE_CACHE_DIR"/reference/*.f64; do
			printf x | dd of="$file" bs=1 seek=8100 conv=notrunc status=none
		done
	fi
	asctune run all.json --device cpu --db $time-all.db --trust >lines 2>err
	echo "$time: exit $?, called $(wc -l <calls) times so far"
	sed -n "s/ take [0-9.]* m*s to/ take SOME TIME to/p" err
	sqlite3 $time-all.db "select status from trial"
done
# A function that fits the seed of the first set alone.
cat >wild.c <<'END'
#include <stdint.h>
#include <stdio.h>
void fill(double *out, int64_t n, uint64_t seed)
{
#ifdef FIRST
	if (seed != FIRST)
		out[-1] = 0;
#else
	FILE *seeds = fopen("seeds", "a");
	if (seeds && fprintf(seeds, "%lluu\n", (unsigned long long)seed) > 0)
		fclose(seeds);
#endif
	for (int64_t i = 0; i < n; i++)
		out[i] = (double)((seed + (uint64_t)i) % 7);
}
END
sed 's/counted\.c/wild.c/' all.json >wild.json
asctune run wild.json --device cpu --db seeds.db --trust >lines 2>err
sed -i "1i #define FIRST $(head -n 1 seeds)" wild.c
asctune run wild.json --device cpu --db wild.db >lines 2>err
echo "exit $?"
grep -v "^cpu:" err
sqlite3 wild.db "select status from trial"
