# A time that the device's limit does not allow is no answer: not of a search, not of the finals, not one on record. The next best is.
# covers: physics.c workload.c binding.c finals.c
export ASCTUNE_CACHE_DIR="$PWD/cache"
cat >w.json <<'JSON'
{"asctune": 1, "name": "twice", "operator": "twice",
 "problems": [{"name": "p", "dims": {"N": 1000}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "f32", "role": "in", "fill": {"kind": "uniform", "low": 1, "high": 2}},
             "y": {"shape": ["N"], "dtype": "f32", "role": "out", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": 0, "rtol": 1e-6}}}}},
 "least": {"bytes": "4 * sizeof(x)"},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "twice",
   "parameters": {"WORK": {"values": [1, 300, 100, 200], "default": 300}, "LATER": {"values": [0, 1], "default": 0}}, "constraints": ["LATER == 0 or WORK == 100"],
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
JSON
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }' >reference.c
cat >kernel.c <<'C'
#include <stdint.h>
#include <stdlib.h>
/* Kernels that are loaded in this process: more than the one that is measured and the best are in finals. */
static int loaded(int change)
{
	const char *text = getenv("LOADED");
	char now[2] = {(char)((text ? *text : '0') + change), 0};
	setenv("LOADED", now, 1);
	return now[0] - '0';
}
__attribute__((constructor)) static void load(void) { loaded(1); }
__attribute__((destructor)) static void unload(void) { loaded(-1); }
/* With LATER the work is left out in finals. */
void twice(const float *x, float *y, int64_t n)
{
	int work = LATER && loaded(0) > 2 ? 1 : WORK;
	for (int64_t i = 0; i < n; i++) {
		for (int k = 0; k < work; k++)
			__asm__ volatile("");
		y[i] = 2 * x[i];
	}
}
C
tune() { asctune run w.json -D cpu "$@" >lines 2>err; echo "exit $?"; }
best() { asctune best --db "$1" --json | grep -o '"config":{[^}]*}'; }
statuses() { sqlite3 "$1" "select config_key, group_concat(iif(status in ('slow', 'undecided'), 'ok', status), ' ') from (select config_key, status from trial where run_id = $2 order by id) group by config_key"; }
tune --repeats 3 --config WORK=1 --db old.db
statuses old.db 1
# Without a peak there is no verdict. One that is believed gives one: 16 kB at 1 GB/s times 5/3 take 9.6 us; one of few moments, which may be twice as high: 4.8 us.
mkdir -p cache/peaks
plant() { echo '{"peaks": [{"unit": "B/s", "type": "", "rate": 1e9, "low": 1e9, "moments": '"$1"'}]}' >"cache/peaks/$(sqlite3 old.db 'select fingerprint from device').json"; }
plant 1
tune --repeats 3 --config WORK=1 --db few.db
statuses few.db 1
plant 15
tune --strategy exhaustive --budget all --db new.db
statuses new.db 1
sed -n 's/^  impossible \(.*\): [0-9.]* [nu]s,/  impossible \1: T,/p' lines | head -1
best new.db
sqlite3 new.db "select count(*) from final where config_key like '%LATER=1%'"
asctune show run 1 --db new.db | grep -o '"impossible":[0-9]*'
# What passed before is measured again, and withdrawn.
tune --strategy exhaustive --budget all --resume --db old.db
statuses old.db 2
best old.db
# One alone: nothing passed.
tune --repeats 3 --config WORK=1 --db alone.db
statuses alone.db 1
# What a workload may state.
check() { sed "s|^ \"least\".*| \"least\": $1,|" w.json >c.json; asctune check-workload c.json 2>&1; }
check '{}'
check '{"bytes": "sizeof(z)"}'
check '{"bytes": "-1"}'
check '{"byte": 1}'
check '{"bytes": 0, "flops": "2 * N"}'
# Above a measured peak, the answer says so, below the limit and above it: a launch of 20 us reads 4 kB. A run of two seconds has no time to measure peaks.
sed -i 's/"least":.*/"flops": "N", "bytes": "2 * sizeof(x)", "least": {"bytes": "sizeof(x)"},/' w.json
sed -i 's|^{"peaks": .*|{"peaks": [{"unit": "B/s", "type": "", "rate": 1e8, "low": 1e8, "moments": 1}, {"unit": "FLOP/s", "type": "f32", "rate": 1e3, "low": 1e3, "moments": 15}]}|' cache/peaks/*.json
cat >kernel.c <<'C'
#include <stdint.h>
#include <time.h>
static int64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
void twice(const float *x, float *y, int64_t n)
{
	int64_t until = now() + 20000;
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	while (now() < until)
		;
}
C
tune --budget 2s --db above.db
sed -n 's/^  ! [0-9.]* [kMG]\(.*\)/  ! T \1/p' lines
# Nothing is known of a device: peaks are measured before the search, for a kernel that cannot have read its megabytes.
rm -r cache/peaks
sed -i 's/"N": 1000}/"N": 4000000}/; s/"kind": "uniform", "low": 1, "high": 2/"kind": "constant", "value": 1/; s/"shape": \["N"\], "dtype": "f32", "role": "out"/"shape": [1], "dtype": "f32", "role": "out"/; s/^ "flops".*//' w.json
sed -i 's/"parameters": .*/"parameters": {"READS": {"values": [0, 1], "default": 1}},/' w.json
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { double sum = 0; for (int64_t i = 0; i < n; i++) sum += x[i]; *y = sum / n; }' >reference.c
echo '#include <stdint.h>
void twice(const float *x, float *y, int64_t n) { double sum = 0; for (int64_t i = 0; i < n; i++) sum += READS ? x[i] : 1; *y = (float)(sum / n); if (!READS) *y = 1; }' >kernel.c
tune --strategy exhaustive --budget all --db first.db # without a limit of time: a busy machine takes long for its peaks
statuses first.db 1
best first.db
