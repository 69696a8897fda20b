/* workloads/sdpa/kernel.c by itself: extreme configurations are compiled as the builder does,
 * called directly and compared with reference.c; no element that must not count may change a bit.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/proc.h"

typedef void kernel_fn(const float *, const float *, const float *, float *, int64_t, int64_t,
		       uint8_t, float, int64_t, void *, int64_t, int64_t, int64_t);
typedef void reference_fn(const double *, const double *, const double *, double *, int64_t,
			  int64_t, uint8_t, double, void *, int64_t, int64_t);

enum {
	HEADS = 2,
	MAX_S = 130,
	MAX_D = 128,
	MAX_COUNT = HEADS * MAX_S * MAX_D,
	MAX_SCRATCH = 2 * (128 * (MAX_D + MAX_D + 128) + 32 * 128 + 256 * MAX_D) + 1
};

static struct config {
	int64_t m, n, rows, unroll, pack, query_blocks;
	struct proc compiler;
	char path[256];
	kernel_fn *run;
} configs[] = {
	{.m = 32, .n = 32, .rows = 4, .unroll = 1, .pack = 0, .query_blocks = 1},
	{.m = 96, .n = 128, .rows = 6, .unroll = 4, .pack = 1, .query_blocks = 1},
	{.m = 128, .n = 32, .rows = 4, .unroll = 4, .pack = 0, .query_blocks = 1},
	{.m = 32, .n = 64, .rows = 4, .unroll = 1, .pack = 1, .query_blocks = 4},
};
enum { N_CONFIGS = sizeof configs / sizeof *configs };

struct shape {
	int64_t s, d;
	bool causal;
};

static const int64_t lengths[] = {1, 7, 37, 64, 130}, depths[] = {1, 8, 72, 128};
static const float poisons[] = {NAN, 3e38F};
static const float untouched = -12345;

static struct proc reference_compiler;
static char folder[200], reference_path[256];
static reference_fn *reference;
static float clean[MAX_COUNT], scratch[MAX_SCRATCH];
static float *ends[4], *q, *k, *v, *out; /* behind each tensor, at its end, is a forbidden page */
static double dq[MAX_COUNT], dk[MAX_COUNT], dv[MAX_COUNT], want[MAX_COUNT], scores[MAX_S];

/* ---- compiling ---- */

static const char *const flags[] = {"-O3",           "-march=native", "-std=gnu17",
				    "-fopenmp-simd", "-fPIC",         "-shared"};
enum { N_FLAGS = sizeof flags / sizeof *flags, N_DEFINES = 5 };

static bool compile(struct proc *p, const char *source, const char *path, char d[N_DEFINES][32])
{
	struct asc_err e;
	const char *cc = getenv("CC");
	const char *argv[N_FLAGS + 11] = {cc && *cc ? cc : "cc", "-o", path, source, "-lm"};
	for (size_t i = 0; i < N_FLAGS; i++)
		argv[5 + i] = flags[i];
	for (size_t i = 0; i < N_DEFINES; i++)
		argv[5 + N_FLAGS + i] = d[i];
	return proc_start(p, &(struct proc_options){.argv = argv}, &e) == ASC_OK;
}

static bool compile_all(void)
{
	char d[N_DEFINES][32] = {"-DA", "-DB", "-DC", "-DD", "-DE"};
	snprintf(reference_path, sizeof reference_path, "%s/reference.so", folder);
	bool ok = compile(&reference_compiler, PROJECT_ROOT "/workloads/sdpa/reference.c",
			  reference_path, d);
	for (int i = 0; i < N_CONFIGS; i++) {
		struct config *c = &configs[i];
		snprintf(c->path, sizeof c->path, "%s/kernel%d.so", folder, i);
		snprintf(d[0], sizeof d[0], "-DBLOCK_M=%" PRId64, c->m);
		snprintf(d[1], sizeof d[1], "-DBLOCK_N=%" PRId64, c->n);
		snprintf(d[2], sizeof d[2], "-DROWS=%" PRId64, c->rows);
		snprintf(d[3], sizeof d[3], "-DUNROLL=%" PRId64, c->unroll);
		snprintf(d[4], sizeof d[4], "-DPACK_K=%" PRId64, c->pack);
		ok &= compile(&c->compiler, PROJECT_ROOT "/workloads/sdpa/kernel.c", c->path, d);
	}
	return ok;
}

static void *load(struct proc *compiler, const char *path, const char *entry)
{
	while (!proc_reap(compiler))
		usleep(2000);
	void *library = dlopen(path, RTLD_NOW);
	if (!library)
		tap_note("%s", dlerror());
	unlink(path);
	return library ? dlsym(library, entry) : NULL;
}

static bool load_all(void)
{
	*(void **)&reference = load(&reference_compiler, reference_path, "sdpa_reference");
	bool ok = reference != NULL;
	for (int i = 0; i < N_CONFIGS; i++) {
		*(void **)&configs[i].run = load(&configs[i].compiler, configs[i].path, "sdpa");
		ok &= configs[i].run != NULL;
	}
	rmdir(folder);
	return ok;
}

/* ---- tensors ---- */

static bool reserve(void)
{
	const size_t page = 65536, room = (MAX_COUNT * sizeof **ends / page + 1) * page;
	for (int i = 0; i < 4; i++) {
		char *p = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED || mprotect(p + room, page, PROT_NONE) != 0)
			return false;
		ends[i] = (float *)(void *)(p + room);
	}
	return true;
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
	q = ends[0] - n;
	k = ends[1] - n;
	v = ends[2] - n;
	out = ends[3] - n;
	fill(q, n, 1);
	fill(k, n, 2);
	fill(v, n, 3);
}

static void set(float *x, int64_t from, int64_t to, float value)
{
	for (int64_t i = from; i < to; i++)
		x[i] = value;
}

/* The size of a thread's scratch as sdpa.json has it, in floats. */
static int64_t scratch_size(const struct config *c, const struct shape *t)
{
	const int64_t depth = (t->d + 31) / 32 * 32, keys = (t->s + c->n - 1) / c->n * c->n;
	return c->m * (t->d + depth + c->n) + 32 * c->n + c->pack * keys * t->d;
}

/* As the second of two threads; nothing outside of its part of the scratch may be written. */
static bool run(const struct config *c, const struct shape *t, int64_t heads)
{
	const int64_t part = scratch_size(c, t);
	const int64_t calls = (t->s + c->m * c->query_blocks - 1) / (c->m * c->query_blocks);
	set(out, 0, count(t), untouched);
	set(scratch, 0, 2 * part + 1, NAN);
	scratch[part - 1] = scratch[2 * part] = untouched;
	for (int64_t y = 0; y < heads; y++)
		for (int64_t x = 0; x < calls; x++)
			c->run(q, k, v, out, t->s, t->d, t->causal, (float)(1 / sqrt((double)t->d)),
			       c->query_blocks, scratch, 1, x, y);
	return scratch[part - 1] == untouched && scratch[2 * part] == untouched;
}

static void compute_reference(const struct shape *t)
{
	for (int64_t i = 0; i < count(t); i++) {
		dq[i] = (double)q[i];
		dk[i] = (double)k[i];
		dv[i] = (double)v[i];
	}
	for (int64_t y = 0; y < HEADS; y++)
		reference(dq, dk, dv, want, t->s, t->d, t->causal, 1 / sqrt((double)t->d), scores,
			  0, y);
}

/* The largest error over its tolerance (that of sdpa.json for f32); NaN counts as infinite. */
static double worst(const struct shape *t)
{
	const double u = 0x1p-24, s = (double)t->s;
	double most = 0;
	for (int64_t i = 0; i < count(t); i++) {
		double atol = (5.1 * (double)t->d + 4 * sqrt(s) + 8) * u;
		double ratio = fabs((double)out[i] - want[i]) / (atol + 4 * u * fabs(want[i]));
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
	return worst(t);
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
		ok &= t->s > c->n ? isfinite(x) : fabs(x - mean_value(t, v, i)) <= 1e-4;
	}
	return ok;
}

static void check(const struct config *c, const struct shape *t, struct verdict *all)
{
	fill_all(t);
	compute_reference(t);
	all->inside &= run(c, t, HEADS);
	all->error = fmax(all->error, worst(t));
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
	char name[64];
	snprintf(name, sizeof name,
		 "M %" PRId64 ", N %" PRId64 ", rows %" PRId64 ", unroll %" PRId64
		 ", pack %" PRId64,
		 c->m, c->n, c->rows, c->unroll, c->pack);
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
	const char *base = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/t-sdpa.XXXXXX", base && *base ? base : "/tmp");
	if (!tap_ok(mkdtemp(folder), "a temporary folder"))
		return tap_done();
	bool started = reserve() && compile_all();
	if (tap_ok(load_all() && started, "kernel.c and reference.c compile and load"))
		for (int i = 0; i < N_CONFIGS; i++)
			check_config(&configs[i]);
	return tap_done();
}
