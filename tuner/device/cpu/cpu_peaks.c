#include "tuner/device/cpu/cpu_info.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/device/cpu/cpu_caches.h"
#include "tuner/device/cpu/cpu_state.h"
#include "tuner/device/cpu/cpu_threads.h"
#include "tuner/device/device.h"
#include "tuner/result/roofline.h"

enum { MIN_RUNS = 8, PIECES = 8, CHAINS = 10, FIRST_ROUNDS = 1 << 14, MAX_ROUNDS = 1 << 28 };
enum { FEWEST = 2, PAUSE_NS = 20000000 };
static const int64_t MIN_RUN_NS = 500000, MIN_TRIAD_BYTES = INT64_C(64) << 20;
/* Time after which no further moment begins: all of them take less on a quiet machine. */
static const int64_t MOST_NS = 1500000000;
/* Time of many runs together: a clock has time to rise, and has risen where caches are measured. */
static const int64_t SPAN_NS = 20000000, CACHE_SPAN_NS = 2000000;

struct team {
	struct cpu_threads *threads;
	size_t n;
};

/* Time of the best of the short runs that fill a span, since whatever else the machine does only
 * takes time away. `next` prepares each run; NULL: nothing does. */
static double best_ns(const struct team *t, int64_t span_ns, cpu_threads_fn *fn,
		      void (*next)(void *), void *user)
{
	const int64_t begin = clock_now_ns();
	int64_t best = INT64_MAX, now = begin;

	/* Some runs, of long ones too. */
	for (int i = 0; i < MIN_RUNS || now - begin < span_ns; i++) {
		if (next)
			next(user);
		int64_t start = clock_now_ns();
		cpu_threads_run(t->threads, t->n, fn, user);
		now = clock_now_ns();
		best = now - start < best ? now - start : best;
	}
	return best > 0 ? (double)best : 1;
}

/* ---- multiply-adds ---- */

typedef double fma_fn(int64_t rounds);

/* Chains of multiply-adds: ten of them hide a latency of four or five cycles on two units. The file
 * is compiled so that a product and a sum become one instruction where the processor has it. Values
 * stay near 2. */
#define FMA_CHAINS(name, real, bytes, isa)                                                         \
	isa static double name(int64_t rounds)                                                     \
	{                                                                                          \
		typedef real vec __attribute__((vector_size(bytes)));                              \
		const vec half = (vec){0} + (real)0.5, one = (vec){0} + (real)1;                   \
		vec a = one, b = a + 1, c = b + 1, d = c + 1, f = d + 1;                           \
		vec g = f + 1, h = g + 1, i = h + 1, j = i + 1, k = j + 1;                         \
		for (int64_t r = 0; r < rounds; r++) {                                             \
			a = a * half + one, b = b * half + one, c = c * half + one;                \
			d = d * half + one, f = f * half + one, g = g * half + one;                \
			h = h * half + one, i = i * half + one, j = j * half + one;                \
			k = k * half + one;                                                        \
		}                                                                                  \
		a += b + c + d + f + g + h + i + j + k;                                            \
		return a[0];                                                                       \
	}

static bool always(void)
{
	return true;
}

FMA_CHAINS(f32_16, float, 16, )
FMA_CHAINS(f64_16, double, 16, )

#if defined(__x86_64__)
FMA_CHAINS(f32_32, float, 32, __attribute__((target("avx2,fma"))))
FMA_CHAINS(f64_32, double, 32, __attribute__((target("avx2,fma"))))
FMA_CHAINS(f32_64, float, 64, __attribute__((target("avx512f"))))
FMA_CHAINS(f64_64, double, 64, __attribute__((target("avx512f"))))

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}
#endif

static const struct variant {
	bool (*usable)(void);
	fma_fn *run;
	enum dtype type;
	int lanes;
} variants[] = {
	{always, f32_16, DTYPE_F32, 4},      {always, f64_16, DTYPE_F64, 2},
#if defined(__x86_64__)
	{has_avx2, f32_32, DTYPE_F32, 8},    {has_avx2, f64_32, DTYPE_F64, 4},
	{has_avx512, f32_64, DTYPE_F32, 16}, {has_avx512, f64_64, DTYPE_F64, 8},
#endif
};

struct fma_run {
	fma_fn *run;
	int64_t rounds;
	volatile double sink; /* sum of one thread, so that the compiler leaves nothing out */
};

static void run_chains(void *user, size_t index)
{
	struct fma_run *f = user;
	double sum = f->run(f->rounds);

	if (index == 0)
		f->sink = sum;
}

static double measure_variant(const struct team *t, const struct variant *v)
{
	struct fma_run f = {v->run, FIRST_ROUNDS, 0};
	int64_t ns = 0;

	/* So many rounds that starting and ending the team is no part of the time. */
	for (; ns < MIN_RUN_NS && f.rounds < MAX_ROUNDS; f.rounds *= 2) {
		int64_t start = clock_now_ns();
		run_chains(&f, 0);
		ns = clock_now_ns() - start;
	}
	double flops = 2.0 * CHAINS * v->lanes * (double)f.rounds * (double)t->n;

	return 1e9 * flops / best_ns(t, SPAN_NS, run_chains, NULL, &f);
}

/* Tries all widths of vectors, since wider ones may cost clock rate. */
static double measure_flops(const struct team *t, enum dtype type)
{
	double best = 0;

	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
		if (variants[i].type != type || !variants[i].usable())
			continue;
		double flops = measure_variant(t, &variants[i]);
		best = flops > best ? flops : best;
	}
	return best;
}

/* ---- memory ---- */

struct triad {
	double *a, *b, *c;
	size_t n, threads; /* elements of each array (a multiple of threads and PIECES), threads of
			      the team */
	size_t piece;      /* piece that a run goes over; its turn comes again when the caches have
			      forgotten it */
};

/* Touches each thread's pages by that thread, so that they lie in the memory near it. */
static void touch(void *user, size_t index)
{
	const struct triad *t = user;
	const size_t n = t->n / PIECES / t->threads;

	for (size_t piece = 0; piece < PIECES; piece++)
		for (size_t k = 0, i = (piece * t->threads + index) * n; k < n; k++, i++) {
			t->a[i] = 0;
			t->b[i] = 1;
			t->c[i] = 2;
		}
}

static void next_piece(void *user)
{
	struct triad *t = user;

	t->piece = (t->piece + 1) % PIECES;
}

static void run_triad(void *user, size_t index)
{
	const struct triad *t = user;
	const size_t n = t->n / PIECES / t->threads;
	const size_t begin = (t->piece * t->threads + index) * n;
	double *restrict a = t->a + begin;
	const double *restrict b = t->b + begin, *restrict c = t->c + begin;

	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + 3.0 * c[i];
}

/* Bytes of the three arrays together; 0 when four times the caches are more than a quarter of the
 * memory. */
static int64_t triad_bytes(const struct team *t, const struct facts *f)
{
	const struct cpu_places *places = cpu_threads_places(t->threads);
	int64_t caches = (int64_t)cpu_caches_total(CPU_CACHES_FOLDER, places, t->n);
	int64_t memory = f->known[FACT_MEMORY_BYTES] ? f->value[FACT_MEMORY_BYTES] : INT64_MAX;
	int64_t bytes = 4 * caches > MIN_TRIAD_BYTES ? 4 * caches : MIN_TRIAD_BYTES;

	return bytes <= memory / 4 ? bytes : 0;
}

/* Allocates the arrays; *m is zeroed where there is no memory to spare. */
static enum asc_status triad_init(struct triad *m, const struct team *t, int64_t bytes,
				  struct asc_err *e)
{
	size_t step = t->n * PIECES, n = ((size_t)bytes / 3 / sizeof(double) / step + 1) * step;

	*m = (struct triad){.n = n, .threads = t->n};
	if (bytes == 0) {
		m->n = 0;
		return ASC_OK;
	}
	m->a = malloc(n * sizeof *m->a);
	m->b = malloc(n * sizeof *m->b);
	m->c = malloc(n * sizeof *m->c);
	if (!m->a || !m->b || !m->c)
		return asc_err_nomem(e);
	cpu_threads_run(t->threads, t->n, touch, m);
	return ASC_OK;
}

/* Measures what the first `threads` of the team move, which share each piece. */
static double measure_memory(const struct team *t, const struct triad *m, size_t threads)
{
	const struct team some = {t->threads, threads};
	struct triad all = *m;

	all.threads = threads;
	const size_t elements = m->n / PIECES; /* of a piece: three transfers of each */
	const double bytes = 3.0 * sizeof(double) * (double)elements;

	return 1e9 * bytes / best_ns(&some, SPAN_NS, run_triad, next_piece, &all);
}

/* ---- caches ---- */

typedef uint64_t read_fn(const void *data, size_t bytes, int64_t rounds);

/* Sums of what is read, a multiple of READ_STEP bytes: eight of them hide the latency of an
 * addition. For all that the compiler sees, the data have changed since the round before. */
#define READ_SUMS(name, width, isa)                                                                \
	isa static uint64_t name(const void *data, size_t bytes, int64_t rounds)                   \
	{                                                                                          \
		typedef uint64_t vec __attribute__((vector_size(width)));                          \
		const vec *const v = data;                                                         \
		vec a = {0}, b = a, c = a, d = a, f = a, g = a, h = a, i = a;                      \
		for (int64_t r = 0; r < rounds; r++) {                                             \
			__asm__ volatile("" ::: "memory");                                         \
			for (size_t k = 0; k < bytes / (width); k += 8) {                          \
				a += v[k], b += v[k + 1], c += v[k + 2], d += v[k + 3];            \
				f += v[k + 4], g += v[k + 5], h += v[k + 6], i += v[k + 7];        \
			}                                                                          \
		}                                                                                  \
		a += b + c + d + f + g + h + i;                                                    \
		return a[0] + a[1];                                                                \
	}

READ_SUMS(read_16, 16, )
#if defined(__x86_64__)
READ_SUMS(read_32, 32, __attribute__((target("avx2"))))
READ_SUMS(read_64, 64, __attribute__((target("avx512f"))))
#endif

static const struct reader {
	bool (*usable)(void);
	read_fn *run;
} readers[] = {
	{always, read_16},
#if defined(__x86_64__)
	{has_avx2, read_32},
	{has_avx512, read_64},
#endif
};

enum { READ_STEP = 8 * 64, RUN_BYTES = 4 << 20 };

struct cache_run {
	read_fn *run;
	const unsigned char *data;
	size_t bytes; /* of each thread */
	int64_t rounds;
	volatile uint64_t sink; /* sum of one thread, so that the compiler leaves nothing out */
};

static void run_reads(void *user, size_t index)
{
	struct cache_run *c = user;
	uint64_t sum = c->run(c->data + index * c->bytes, c->bytes, c->rounds);

	if (index == 0)
		c->sink = sum;
}

/* Measures what all threads read of a cache, each `bytes` of its own. */
static double measure_cache(const struct team *t, const unsigned char *data, size_t bytes)
{
	struct cache_run c = {.data = data, .bytes = bytes};
	double best = 0;

	if (!c.bytes)
		return 0;
	c.rounds = RUN_BYTES / (int64_t)c.bytes + 1;
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
		if (!readers[i].usable())
			continue;
		c.run = readers[i].run;
		double all = (double)c.bytes * (double)c.rounds * (double)t->n;
		double rate = 1e9 * all / best_ns(t, CACHE_SPAN_NS, run_reads, NULL, &c);
		best = rate > best ? rate : best;
	}
	return best;
}

/* ---- launches ---- */

/* Finds how many launches of a grid of `calls` calls fit a second, by the median of some: threads
 * that start by chance at once are no launch to compare others with. */
static enum asc_status measure_empty(const struct team *t, size_t threads,
				     const struct cpu_empty *empty, int64_t calls, double *rate,
				     struct asc_err *e)
{
	enum { RUNS = 9 };
	double times[RUNS];
	int64_t ns;

	for (size_t i = 0; i < RUNS; i++) {
		if (empty->time(empty->user, t->threads, threads, calls, &ns, e))
			return e->status;
		times[i] = (double)ns;
	}
	const double median = stats_select_median(times, RUNS);
	*rate = median > 0 ? 1e9 / median : 0;
	return ASC_OK;
}

/* ---- all ---- */

/* Part of a moment that the team's threads wait for a processor together, from which on that moment
 * is busy: a quiet machine has them wait for far less, a busy loop for half of it. */
static const double BUSY_PART = 0.05;

struct moment {
	int64_t waited_ns, start_ns;
};

static void moment_begin(const struct cpu_state *s, struct moment *m)
{
	struct device_state now;

	cpu_state_read(s, &now);
	*m = (struct moment){now.waited_ns, clock_now_ns()};
}

static bool moment_was_busy(const struct cpu_state *s, const struct moment *m)
{
	struct device_state now;

	cpu_state_read(s, &now);
	return (double)(now.waited_ns - m->waited_ns) >
	       BUSY_PART * (double)(clock_now_ns() - m->start_ns);
}

static const struct cache {
	const char *name;
	enum fact size;
	bool shared; /* by all threads; others are of each core */
} caches[] = {{PEAK_L1, FACT_L1_BYTES, false},
	      {PEAK_L2, FACT_L2_BYTES, false},
	      {PEAK_L3, FACT_LLC_BYTES, true}};

enum { N_CACHES = sizeof caches / sizeof *caches };

/* The threads, memory and type that the peaks are measured with. */
struct bench {
	struct team team;
	struct triad memory;
	unsigned char *cached;   /* heap: for each thread the most that it reads */
	size_t caches[N_CACHES]; /* bytes that each thread reads of them; 0: of unknown size */
	const struct cpu_empty *empty;
	enum dtype type;
};

/* Measures every peak once. Sums of numbers shorter than f32 are made in f32, and no unit has a
 * rate of its own for them. */
static enum asc_status measure_once(struct bench *b, const struct cpu_state *s, struct peaks *out,
				    struct asc_err *e)
{
	enum { CALLS = 1 << 14 }; /* so many that the launch is a small part of their time */
	const bool is_short = dtype_is_float(b->type) && dtype_bytes(b->type) < sizeof(float);
	const char *type = dtype_name(b->type);
	const struct team *t = &b->team;
	char plain[sizeof out->rows->type];
	struct moment now;
	double rate = 0;

	(void)snprintf(plain, sizeof plain, PEAK_PLAIN "%s", type);
	moment_begin(s, &now);
	rate = measure_flops(t, is_short ? DTYPE_F32 : b->type);
	bool busy = moment_was_busy(s, &now);
	peaks_add(out, PEAK_ARITHMETIC, type, is_short ? 0 : rate, busy);
	peaks_add(out, PEAK_ARITHMETIC, plain, rate, busy);

	for (size_t i = 0; i < N_CACHES; i++) {
		moment_begin(s, &now);
		rate = measure_cache(t, b->cached, b->caches[i]);
		peaks_add(out, PEAK_MEMORY, caches[i].name, rate, moment_was_busy(s, &now));
	}

	const struct {
		const char *name;
		size_t threads;
		int64_t calls;
		double unit; /* what the rate is of, in a launch */
	} launches[] = {{PEAK_LAUNCH, t->n, (int64_t)t->n, 1},
			{PEAK_SINGLE, 1, 1, 1},
			{PEAK_BLOCK, t->n, CALLS, CALLS}};

	for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
		moment_begin(s, &now);
		if (measure_empty(t, launches[i].threads, b->empty, launches[i].calls, &rate, e))
			return e->status;
		peaks_add(out, PEAK_LAUNCHES, launches[i].name, launches[i].unit * rate,
			  moment_was_busy(s, &now));
	}

	if (!b->memory.n)
		return ASC_OK;
	moment_begin(s, &now);
	rate = measure_memory(t, &b->memory, t->n);
	peaks_add(out, PEAK_MEMORY, "", rate, moment_was_busy(s, &now));
	moment_begin(s, &now);
	rate = measure_memory(t, &b->memory, 1);
	peaks_add(out, PEAK_MEMORY, PEAK_THREAD, rate, moment_was_busy(s, &now));
	return ASC_OK;
}

/* Measures at moments that lie apart, so that a disturbance of a while does not reach all of them.
 * On a busy machine a moment takes many times as long, and few of them have to do. */
static enum asc_status measure_moments(struct bench *b, struct peaks *out, struct asc_err *e)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	const int64_t until_ns = clock_now_ns() + MOST_NS;
	struct cpu_state state = {0};
	enum asc_status s = ASC_OK;

	cpu_state_watch(&state);
	for (int i = 0;
	     i < PEAKS_MOMENTS && s == ASC_OK && (i < FEWEST || clock_now_ns() < until_ns); i++) {
		if (i)
			(void)nanosleep(&pause, NULL);
		s = measure_once(b, &state, out, e);
	}
	cpu_state_fini(&state);
	return s;
}

/* Allocates what the caches are read from: half of what they hold, the rest is for all else. Pages
 * get data, since those without any are one page of zeros. */
static enum asc_status cached_init(struct bench *b, const struct facts *f, struct asc_err *e)
{
	size_t most = READ_STEP;

	for (size_t i = 0; i < N_CACHES; i++) {
		const enum fact size = caches[i].size;
		/* Processors of several dies have several last levels, of which this fact has one.
		 */
		const size_t share = caches[i].shared ? b->team.n : 1;
		const size_t held = f->known[size] ? (size_t)f->value[size] / share : 0;

		b->caches[i] = held / 2 / READ_STEP * READ_STEP;
		most = b->caches[i] > most ? b->caches[i] : most;
	}
	b->cached = aligned_alloc(READ_STEP, most * b->team.n);
	if (!b->cached)
		return asc_err_nomem(e);
	memset(b->cached, 1, most * b->team.n);
	return ASC_OK;
}

enum asc_status cpu_peaks_measure(const struct facts *f, enum dtype type,
				  const struct cpu_empty *empty, struct peaks *out,
				  struct asc_err *e)
{
	struct bench b = {.empty = empty, .type = type};
	struct team *t = &b.team;

	*out = (struct peaks){0};
	if (cpu_threads_new(&t->threads, e))
		return e->status;
	t->n = f->known[FACT_THREADS] ? (size_t)f->value[FACT_THREADS] : 1;
	t->n = t->n < CPU_THREADS_MAX ? t->n : CPU_THREADS_MAX;
	enum asc_status s = cpu_threads_reserve(t->threads, t->n, e);
	/* Before the arrays: pages lie in the memory near the thread that touches them first. */
	cpu_threads_pin(t->threads);
	if (s == ASC_OK)
		s = triad_init(&b.memory, t, triad_bytes(t, f), e);
	if (s == ASC_OK)
		s = cached_init(&b, f, e);
	if (s == ASC_OK)
		s = measure_moments(&b, out, e);
	cpu_threads_unpin(t->threads);
	free(b.memory.a);
	free(b.memory.b);
	free(b.memory.c);
	free(b.cached);
	cpu_threads_free(t->threads);
	return s;
}
