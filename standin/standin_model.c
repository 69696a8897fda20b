#include "standin/standin_model.h"

#include <string.h>

#include "tuner/base/stats/rng.h"

/* Choices, stated by no source: lanes of a vector core, latency of a transfer, begin of a program.
 */
enum { LANES = 64, STEP_NS = 300, PROGRAM_NS = 500, SPIKE_FACTOR = 20 };

/* Multiplications and additions of a cube core in a cycle, of 16 bits. */
enum { CUBE_OPERATIONS = 2 * 16 * 16 * 16 };

#define NOISE        0.004 /* standard deviation, relative */
#define RAMP_NS      2e9
#define RAMP_INITIAL 0.6

static bool is_vector(const struct twin_kernel *k)
{
	return strcmp(k->mix_mode, "aiv") == 0;
}

int standin_model_cores(const struct twin_kernel *k)
{
	const struct facts *f = &standin_get_control()->limits.facts;
	const enum fact kind = is_vector(k) ? FACT_VECTOR_CORES : FACT_CUBE_CORES;
	const int64_t n = f->known[kind] ? f->value[kind] : f->value[FACT_PROCESSORS];

	return n < 1 ? 1 : n > STANDIN_MAX_CORES ? STANDIN_MAX_CORES : (int)n;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double program_ns(const struct twin_kernel *k, const struct twin_work *w)
{
	const struct standin_rates *r = &standin_get_control()->rates;
	const double cycle_ns = 1e3 / r->mhz;
	const int vector_cores = is_vector(k) ? 1 : 2;
	const double moved = (w->read_bytes + w->written_bytes) / r->memory_per_cycle * cycle_ns;
	const double cube = w->cube_operations / CUBE_OPERATIONS * cycle_ns;
	const double vector = w->vector_operations / (LANES * vector_cores) * cycle_ns;

	return PROGRAM_NS + STEP_NS * w->steps +
	       (k->overlaps ? larger(moved, larger(cube, vector)) : moved + cube + vector);
}

double standin_model_ns(const struct twin_kernel *k, const union twin_argument *a, int64_t programs)
{
	const int cores = standin_model_cores(k);
	double busy[STANDIN_MAX_CORES] = {0}, most = 0;

	for (int64_t p = 0; p < programs; p++) {
		struct twin_work w = {0};

		k->work(a, p, programs, &w);
		busy[p % cores] += program_ns(k, &w);
		most = larger(most, busy[p % cores]);
	}
	return STANDIN_EMPTY_NS + most;
}

/* Relative clock; the ramp begins with the first launch. */
static double clock_at(int64_t at_ns)
{
	static int64_t first_ns;
	const double since = (double)(at_ns - (first_ns ? first_ns : at_ns));

	first_ns = first_ns ? first_ns : at_ns;
	if (!standin_find_fault(STANDIN_RAMP) || since >= RAMP_NS)
		return 1;
	return RAMP_INITIAL + (1 - RAMP_INITIAL) * (since > 0 ? since : 0) / RAMP_NS;
}

int64_t standin_model_vary(double ns, int64_t launch, int64_t at_ns)
{
	const struct standin_fault_set *spike = standin_find_fault(STANDIN_SPIKE);
	struct rng r;

	rng_init(&r, standin_get_control()->seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)launch);
	ns *= (1 + NOISE * rng_normal(&r)) / clock_at(at_ns);
	if (spike && rng_uniform(&r) < spike->share)
		ns *= SPIKE_FACTOR;
	return (int64_t)(ns + 0.5);
}
