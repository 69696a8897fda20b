/* workloads/sdpa/kernel.c by itself: extreme configurations are compiled as the builder does,
 * called directly and compared with reference.c; no element that must not count may change a bit.
 * covers: workloads/sdpa/kernel.c */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/compile.h"
#include "tests/fenced.h"
#include "tests/tap.h"

typedef void kernel_fn(const void *, const void *, const void *, void *, int64_t, int64_t, uint8_t,
		       float, int64_t, void *, int64_t, int64_t, int64_t);
typedef void reference_fn(const double *, const double *, const double *, double *, int64_t,
			  int64_t, uint8_t, double, void *, int64_t, int64_t, int64_t);

enum {
	HEADS = 2,
	MAX_S = 130,
	MAX_D = 128,
	MAX_COUNT = HEADS * MAX_S * MAX_D,
	MAX_SCRATCH = 2 * (192 * (MAX_D + 144 + 192) + 192 * (MAX_D + 144)) + 1
};

static struct config {
	enum dtype t;
	int64_t m, n, rows, vectors, unroll, all, v, query_blocks;
	struct compilation compilation;
	kernel_fn *run;
} configs[] = {
	{DTYPE_F32, 32, 64, 4, 2, 1, 0, 0, 1, .run = NULL},
	{DTYPE_F32, 96, 192, 4, 3, 4, 1, 0, 1, .run = NULL},
	{DTYPE_F32, 192, 64, 6, 2, 4, 0, 1, 1, .run = NULL},
	{DTYPE_F32, 32, 192, 8, 1, 1, 1, 1, 4, .run = NULL},
	{DTYPE_BF16, 96, 64, 6, 2, 1, 1, 1, 1, .run = NULL},
	{DTYPE_F16, 64, 192, 4, 3, 4, 0, 1, 1, .run = NULL},
};
enum { N_CONFIGS = sizeof configs / sizeof *configs };

struct shape {
	int64_t s, d;
	bool causal;
};

static const int64_t lengths[] = {1, 7, 37, 64, 130}, depths[] = {1, 8, 72, 128};
static const float poisons[] = {NAN, 3e38F};
static const float untouched = -12345;

static reference_fn *reference;
static float clean[MAX_COUNT], scratch[MAX_SCRATCH];
static float q[MAX_COUNT], k[MAX_COUNT], v[MAX_COUNT], out[MAX_COUNT]; /* values of the type */
static char *ends[4]; /* where tensors end as the kernel sees them; behind is a forbidden page */
static double want[MAX_COUNT], scores[MAX_S], wide[4][MAX_COUNT];

/* ---- compiling ---- */

static bool start(struct config *c)
{
	compile_define(&c->compilation, "BLOCK_M", c->m);
	compile_define(&c->compilation, "BLOCK_N", c->n);
	compile_define(&c->compilation, "ROWS", c->rows);
	compile_define(&c->compilation, "VECTORS", c->vectors);
	compile_define(&c->compilation, "UNROLL", c->unroll);
	compile_define(&c->compilation, "PACK_ALL", c->all);
	compile_define(&c->compilation, "PACK_V", c->v);
	return compile_start(&c->compilation, "workloads/sdpa/kernel.c", c->t);
}

static bool load_all(void)
{
	struct compilation r = {0};
	bool ok = compile_start(&r, "workloads/sdpa/reference.c", DTYPE_F64);
	for (int i = 0; i < N_CONFIGS; i++)
		ok &= start(&configs[i]);
	if (!ok)
		return false;
	*(void **)&reference = compile_load(&r, "sdpa_reference");
	ok = reference != NULL;
	for (int i = 0; i < N_CONFIGS; i++) {
		*(void **)&configs[i].run = compile_load(&configs[i].compilation, "sdpa");
		ok &= configs[i].run != NULL;
	}
	return ok;
}

/* ---- tensors ---- */

static bool reserve(void)
{
	bool ok = true;
	for (int i = 0; i < 4; i++)
		ok &= (ends[i] = fenced_new(sizeof q)) != NULL;
	return ok;
}

/* Uniform with variance 1. */
static void fill(float *x, int64_t n, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		x[i] = ((float)(seed >> 40) / 0x1p23F - 1) * 1.7320508F;
	}
}

static int64_t count(const struct shape *t)
{
	return HEADS * t->s * t->d;
}

static void fill_all(const struct shape *t)
{
	const int64_t n = count(t);
	fill(q, n, 1);
	fill(k, n, 2);
	fill(v, n, 3);
}

static void set(float *x, int64_t from, int64_t to, float value)
{
	for (int64_t i = from; i < to; i++)
		x[i] = value;
}

/* Rounds the values to the type, too. */
static void *put(const struct config *c, int i, float *values, int64_t n)
{
	for (int64_t j = 0; j < n; j++)
		wide[i][j] = (double)values[j];
	void *begin = fenced_put(ends[i], c->t, wide[i], n);
	for (int64_t j = 0; j < n; j++)
		values[j] = (float)wide[i][j];
	return begin;
}

static void take_output(const struct config *c, int64_t n)
{
	fenced_take(ends[3], c->t, wide[3], n);
	for (int64_t j = 0; j < n; j++)
		out[j] = (float)wide[3][j];
}

/* The size of a thread's scratch as sdpa.json has it, in floats. */
static int64_t scratch_size(const struct config *c, const struct shape *t)
{
	const int64_t strip = 16 * c->vectors, depth = (t->d + strip - 1) / strip * strip;
	const int64_t keys = c->all ? (t->s + c->n - 1) / c->n * c->n : c->n;
	return c->m * (t->d + depth + c->n) + keys * t->d + (c->v ? keys * depth : c->n * strip);
}

/* As the second of two threads; nothing outside of its part of the scratch may be written. */
static bool run(const struct config *c, const struct shape *t, int64_t heads)
{
	const int64_t part = scratch_size(c, t), n = count(t);
	const int64_t calls = (t->s + c->m * c->query_blocks - 1) / (c->m * c->query_blocks);
	const float scale = (float)(1 / sqrt((double)t->d));
	set(out, 0, n, untouched);
	set(scratch, 0, 2 * part + 1, NAN);
	scratch[part - 1] = scratch[2 * part] = untouched;
	void *p[4] = {put(c, 0, q, n), put(c, 1, k, n), put(c, 2, v, n), put(c, 3, out, n)};
	for (int64_t y = 0; y < heads; y++)
		for (int64_t x = 0; x < calls; x++)
			c->run(p[0], p[1], p[2], p[3], t->s, t->d, t->causal, scale,
			       c->query_blocks, scratch, 1, x, y);
	take_output(c, n);
	return scratch[part - 1] == untouched && scratch[2 * part] == untouched;
}

/* Of the inputs of the last run. */
static void compute_reference(const struct shape *t)
{
	for (int64_t head = 0; head < HEADS; head++)
		for (int64_t part = 0; part * 64 < t->s; part++) /* of as many queries */
			reference(wide[0], wide[1], wide[2], want, t->s, t->d, t->causal,
				  1 / sqrt((double)t->d), scores, 0, head, part);
}

/* The unit roundoff of the type. */
static double unit(const struct config *c)
{
	return c->t == DTYPE_F32 ? 0x1p-24 : c->t == DTYPE_F16 ? 0x1p-11 : 0x1p-8;
}

/* The largest error over its tolerance (that of sdpa.json); NaN counts as infinite. */
static double worst(const struct config *c, const struct shape *t)
{
	const double s = (double)t->s, one = unit(c);
	const double spread = t->causal ? 1 : fmin(1, sqrt(2.72 / s));
	const double atol = (5.1 * (double)t->d + 4 * sqrt(s) + 8) * 0x1p-24 +
			    (c->t == DTYPE_F32 ? 0 : 6 * one * spread);
	const double rtol = c->t == DTYPE_F32 ? 0x1p-22 : 2 * one;
	double most = 0;
	for (int64_t i = 0; i < count(t); i++) {
		double ratio = fabs((double)out[i] - want[i]) / (atol + rtol * fabs(want[i]));
		if (isnan(ratio))
			return INFINITY;
		most = ratio > most ? ratio : most;
	}
	return most;
}

static bool same_bits(int64_t n)
{
	return memcmp(out, clean, sizeof *out * (size_t)n) == 0;
}

/* ---- what must hold, for one configuration and shape ---- */

struct verdict {
	double error;
	bool inside, beyond, future, alone, weightless;
	double negative;
};

/* The keys behind the first head are the second head's: they must not count. */
static bool check_beyond(const struct config *c, const struct shape *t, float poison)
{
	const int64_t head = t->s * t->d;
	fill_all(t);
	set(k, head, count(t), poison);
	set(v, head, count(t), poison);
	run(c, t, 1);
	return same_bits(head);
}

/* Causal: keys from the middle on must not count for the queries before. */
static bool check_future(const struct config *c, const struct shape *t, float poison)
{
	const int64_t cut = (t->s + 1) / 2 * t->d;
	if (!t->causal)
		return true;
	fill_all(t);
	set(k, cut, count(t), poison);
	set(v, cut, count(t), poison);
	run(c, t, 1);
	return same_bits(cut);
}

/* All scores equal and very negative: a masked key with score 0 would take all the weight. */
static double check_negative(const struct config *c, const struct shape *t)
{
	const int64_t n = count(t);
	fill_all(t);
	set(q, 0, n, 16);
	set(k, 0, n, -16);
	run(c, t, HEADS);
	compute_reference(t);
	return worst(c, t);
}

/* The mean of the values that query i of a head sees, for one column. */
static double mean_value(const struct shape *t, const float *values, int64_t i)
{
	const int64_t seen = t->causal ? i + 1 : t->s;
	double sum = 0;
	for (int64_t j = 0; j < seen; j++)
		sum += (double)values[j * t->d];
	return sum / (double)seen;
}

/* Every score is minus infinity, as if all keys were masked: no NaN. Within one block of keys the
 * visible ones share the weight, since 2^x ends at 2^-126; here a masked key would have as much. */
static bool check_weightless(const struct config *c, const struct shape *t)
{
	const int64_t n = count(t);
	fill_all(t);
	set(q, 0, n, 3e38F);
	set(k, 0, n, -3e38F);
	run(c, t, 1);
	bool ok = true;
	for (int64_t i = 0; i < t->s; i++) {
		double x = (double)out[i * t->d];
		ok &= t->s > c->n ? isfinite(x)
				  : fabs(x - mean_value(t, v, i)) <= 1e-4 + 2 * unit(c);
	}
	return ok;
}

static void check(const struct config *c, const struct shape *t, struct verdict *all)
{
	fill_all(t);
	all->inside &= run(c, t, HEADS);
	compute_reference(t);
	all->error = fmax(all->error, worst(c, t));
	if (t->s == 1 || t->causal) /* the first query sees one key: its value, exactly */
		all->alone &= memcmp(out, v, sizeof *v * (size_t)t->d) == 0;
	memcpy(clean, out, sizeof *out * (size_t)count(t));
	for (size_t i = 0; i < sizeof poisons / sizeof *poisons; i++) {
		all->beyond &= check_beyond(c, t, poisons[i]);
		all->future &= check_future(c, t, poisons[i]);
	}
	all->negative = fmax(all->negative, check_negative(c, t));
	all->weightless &= check_weightless(c, t);
}

static void check_config(const struct config *c)
{
	struct verdict all = {
		.inside = true, .beyond = true, .future = true, .alone = true, .weightless = true};
	char name[96];
	snprintf(name, sizeof name,
		 "%s, M %" PRId64 ", N %" PRId64 ", %" PRId64 " x %" PRId64 ", unroll %" PRId64
		 ", pack %" PRId64 " %" PRId64,
		 dtype_name(c->t), c->m, c->n, c->rows, c->vectors, c->unroll, c->all, c->v);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (size_t j = 0; j < sizeof depths / sizeof *depths; j++)
			for (int causal = 0; causal < 2; causal++)
				check(c, &(struct shape){lengths[i], depths[j], causal != 0}, &all);
	tap_note("%s: the largest error is %.3f of its tolerance", name, all.error);
	tap_ok(all.error <= 1, "%s: agrees with the reference", name);
	tap_ok(all.inside, "%s: writes inside of its scratch", name);
	tap_ok(all.alone, "%s: a single visible key gives its value exactly", name);
	tap_ok(all.beyond, "%s: what lies beyond the sequence changes no bit", name);
	tap_ok(all.future, "%s: keys after a query change no bit of its output", name);
	tap_ok(all.negative <= 1, "%s: very negative scores", name);
	tap_ok(all.weightless, "%s: rows without any weight", name);
}

int main(void)
{
	if (tap_ok(reserve() && load_all(), "kernel.c and reference.c compile and load"))
		for (int i = 0; i < N_CONFIGS; i++)
			check_config(&configs[i]);
	return tap_done();
}
