#include "tuner/device/cuda/cuda_checks.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/log.h"
#include "tuner/device/cuda/cuda_buffer.h"
#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/cuda/cuda_kernel.h"

enum {
	MAX_BLOCKS = 1024,
	ZONE_BLOCKS = 64, /* for the 2 MiB of most zones: many buffers fit one launch */
	/* Caches that are read to empty one: five, 256 MiB for 50 MB, left no line of before on an
	 * H200. Lines are not dropped in the order in which they came. */
	SWEPT_CACHES = 5,
	MODULES = 3
};

struct partial { /* as in the source */
	double max_abs, sum_abs, max_rel;
	int64_t bad, not_finite, first;
};

struct cuda_checks {
	char arch[64];
	pthread_t compiler;
	bool compiling;         /* the thread is to be waited for */
	struct buf image;       /* what it made, */
	struct asc_err failure; /* or why not */
	bool loaded, usable;
	struct CUmod_st *modules[MODULES];
	struct CUfunc_st *compare, *sum, *sweep;
	cuda_address swept; /* memory that is read to empty the cache; 0: not yet */
	size_t swept_bytes;
	cuda_address partials; /* of MAX_BLOCKS blocks, or MAX_SUMS sums */
};

/* ---- compiling ---- */

static enum asc_status compile(const char *arch, struct buf *image, struct asc_err *e)
{
	struct buf source = {0};

	/* Numbers of the types as this program has them: the kernels switch over them. */
	for (int t = 0; t < DTYPE_COUNT; t++)
		buf_print(&source, "#define DTYPE_%s %d\n", dtype_name((enum dtype)t), t);
	buf_add_str(&source, cuda_checks_prelude);
	buf_add_str(&source, cuda_compare_source);
	buf_add_str(&source, cuda_sums_source);
	buf_add_str(&source, cuda_empty_source);
	enum asc_status s = buf_check(&source, e);
	if (s == ASC_OK)
		s = cuda_compile(arch, buf_str(&source), image, e);
	buf_fini(&source);
	return s;
}

static void *compile_image(void *user)
{
	struct cuda_checks *c = user;

	c->failure.status = compile(c->arch, &c->image, &c->failure);
	return NULL;
}

enum asc_status cuda_checks_begin(struct device *d, struct asc_err *e)
{
	struct cuda_checks *c = calloc(1, sizeof *c);

	d->checks = c;
	if (!c)
		return asc_err_nomem(e);
	(void)snprintf(c->arch, sizeof c->arch, "%s", d->info.arch);
	c->compiling = pthread_create(&c->compiler, NULL, compile_image, c) == 0;
	/* Without a thread it takes its time now. */
	if (!c->compiling)
		(void)compile_image(c);
	return ASC_OK;
}

static void await_compiler(struct cuda_checks *c)
{
	if (c->compiling)
		(void)pthread_join(c->compiler, NULL);
	c->compiling = false;
}

static enum asc_status load(struct device *d, struct cuda_checks *c, struct asc_err *e)
{
	const size_t bytes = MAX_BLOCKS * sizeof(struct partial);

	if (c->failure.status) {
		*e = c->failure;
		return e->status;
	}
	if (cuda_module_load(d, c->image.data, "compare", &c->modules[0], &c->compare, e) ||
	    cuda_module_load(d, c->image.data, "sum", &c->modules[1], &c->sum, e) ||
	    cuda_module_load(d, c->image.data, "sweep", &c->modules[2], &c->sweep, e))
		return e->status;
	return cuda_alloc(d, bytes, &c->partials, e);
}

/* NULL when they cannot be had. */
static struct cuda_checks *get_checks(struct device *d)
{
	struct cuda_checks *c = d->checks;
	struct asc_err why;

	if (c->loaded)
		return c->usable ? c : NULL;
	/* Once, also where it fails: every look would wait and fail again. */
	await_compiler(c);
	c->loaded = true;
	c->usable = load(d, c, &why) == ASC_OK;
	if (!c->usable)
		log_print(LOG_NOTE, "outputs are compared on the host: %s", why.text);
	return c->usable ? c : NULL;
}

void cuda_checks_end(struct device *d)
{
	struct cuda_checks *c = d->checks;

	d->checks = NULL;
	if (!c)
		return;
	await_compiler(c);
	for (size_t i = 0; i < MODULES; i++)
		if (c->modules[i])
			(void)d->cu->module_unload(c->modules[i]);
	if (c->swept)
		(void)d->cu->free(c->swept);
	if (c->partials)
		(void)d->cu->free(c->partials);
	buf_fini(&c->image);
	free(c);
}

/* ---- launching ---- */

/* Number of blocks: as many as have something to do, at most MAX_BLOCKS. */
static unsigned count_blocks(int64_t items)
{
	int64_t blocks = (items + CHECKS_THREADS - 1) / CHECKS_THREADS;

	return (unsigned)(blocks < 1 ? 1 : blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS);
}

/* Runs the kernel and copies its partial results to the first stage, where they are on return. */
static enum asc_status run(struct device *d, struct CUfunc_st *function, void **args,
			   unsigned blocks, size_t partial_bytes, struct asc_err *e)
{
	const struct cuda_launch_config config = {
		.grid = {blocks, 1, 1}, .block = {CHECKS_THREADS, 1, 1}, .stream = d->stream};

	if (cuda_check(d, d->cu->launch((const void *)&config, function, args, NULL),
		       "cuLaunchKernelEx", e))
		return e->status;
	/* The clock has a record of it, which belongs to no launch that is timed. */
	d->unclocked++;
	if (cuda_check(d,
		       d->cu->get(d->stages[0], d->checks->partials, blocks * partial_bytes,
				  d->stream),
		       "cuMemcpyDtoHAsync", e))
		return e->status;
	return cuda_wait(d, "looking at the memory", e);
}

/* ---- sums ---- */

enum { MAX_RANGES = 64, MAX_SUMS = MAX_BLOCKS * sizeof(struct partial) / sizeof(uint64_t) };

struct ranges { /* as in the source */
	struct {
		cuda_address at;
		uint64_t bytes;
		int32_t zone, first; /* block */
	} list[MAX_RANGES];
	int32_t n;
};

/* Appends a range; false when there is no room. *blocks grows by the blocks of this range. */
static bool add_range(struct ranges *all, const struct device_range *r, unsigned *blocks)
{
	const int64_t words = (int64_t)(r->bytes / sizeof(uint64_t));
	const unsigned most = count_blocks(words / CHECKS_AT_ONCE);
	const unsigned own = r->zone && most > ZONE_BLOCKS ? ZONE_BLOCKS : most;

	if (all->n == MAX_RANGES || *blocks + own > MAX_SUMS)
		return false;
	all->list[all->n].at = cuda_range_address(r);
	all->list[all->n].bytes = r->bytes;
	all->list[all->n].zone = r->zone;
	all->list[all->n++].first = (int32_t)*blocks;
	*blocks += own;
	return true;
}

/* Sums the ranges that fit one launch; *n says how many those are. */
static enum asc_status sum_some(struct device *d, const struct device_range *ranges, size_t *n,
				uint64_t *sums, struct asc_err *e)
{
	struct cuda_checks *c = d->checks;
	struct ranges all = {.n = 0};
	unsigned blocks = 0;
	size_t taken = 0;

	while (taken < *n && add_range(&all, &ranges[taken], &blocks))
		taken++;
	*n = taken;
	if (run(d, c->sum, (void *[]){&all, &c->partials}, blocks, sizeof *sums, e))
		return e->status;
	/* Sums of the blocks of a range, in any order: the digest is a sum as well. */
	const uint64_t *partials = d->stages[0];

	for (int i = 0; i < all.n; i++) {
		const unsigned first = (unsigned)all.list[i].first;
		const unsigned end = i + 1 < all.n ? (unsigned)all.list[i + 1].first : blocks;

		sums[i] = 0;
		for (unsigned b = first; b < end; b++)
			sums[i] += partials[b];
	}
	return ASC_OK;
}

static enum asc_status sum_on_host(struct device *d, const struct device_range *r, uint64_t *out,
				   struct asc_err *e)
{
	unsigned char *copy = malloc(r->bytes + 1);
	uint64_t strays = 0;

	if (!copy)
		return asc_err_nomem(e);
	enum asc_status s = cuda_copy_out(d, cuda_range_address(r), copy, r->bytes, e);
	for (size_t i = 0; !s && r->zone && i < r->bytes; i++)
		strays += copy[i] != DEVICE_PATTERN;
	if (!s)
		*out = r->zone ? strays : hash_bytes(copy, r->bytes);
	free(copy);
	return s;
}

enum asc_status cuda_checks_sum(struct device *d, const struct device_range *ranges, size_t n,
				const char *what, uint64_t *sums, struct asc_err *e)
{
	const bool there = get_checks(d) != NULL;
	enum asc_status s = ASC_OK;

	(void)what;
	for (size_t done = 0, some; !s && done < n; done += some) {
		some = there ? n - done : 1;
		s = there ? sum_some(d, ranges + done, &some, sums + done, e)
			  : sum_on_host(d, ranges + done, sums + done, e);
	}
	return s;
}

/* ---- emptying the cache ---- */

/* False where there is no room for the memory, or nothing is known of the cache. */
static bool reserve_swept(struct device *d, struct cuda_checks *c)
{
	const struct facts *f = &d->info.facts;

	if (c->swept || !f->known[FACT_L2_BYTES])
		return c->swept != 0;
	c->swept_bytes = SWEPT_CACHES * (size_t)f->value[FACT_L2_BYTES];
	if (d->cu->alloc(&c->swept, c->swept_bytes) != 0)
		c->swept = 0;
	return c->swept != 0;
}

enum asc_status cuda_checks_empty(struct device *d, struct asc_err *e)
{
	struct cuda_checks *c = get_checks(d);

	if (!c || !reserve_swept(d, c))
		return cuda_flush_queue(d, e) ? e->status : cuda_wait(d, "a flush", e);
	uint64_t words = c->swept_bytes / sizeof(uint64_t);

	return run(d, c->sweep, (void *[]){&c->swept, &words, &c->partials}, MAX_BLOCKS,
		   sizeof(uint64_t), e);
}

/* ---- comparing ---- */

/* Reads the values of the first bad element. */
static enum asc_status read_first(struct device *d, const struct device_buffer *b,
				  const struct device_buffer *reference,
				  const struct device_tolerance *how, struct device_difference *out,
				  struct asc_err *e)
{
	unsigned char element[sizeof(double)];
	size_t bytes = dtype_bytes(how->type);
	cuda_address at = cuda_buffer_address(b) + (uint64_t)out->first * bytes;
	cuda_address there = cuda_buffer_address(reference) + (uint64_t)out->first * sizeof(double);

	/* By the host: the kernel knows its index alone. */
	if (cuda_copy_out(d, at, element, bytes, e) ||
	    cuda_copy_out(d, there, &out->first_reference, sizeof out->first_reference, e))
		return e->status;
	device_mask_apply(&how->mask, (uint64_t)out->first, &out->first_reference, 1,
			  &out->first_reference);
	dtype_to_double(how->type, element, &out->first_out, 1);
	return ASC_OK;
}

enum asc_status cuda_checks_compare(struct device *d, const struct device_buffer *b,
				    const struct device_buffer *reference,
				    const struct device_tolerance *how,
				    struct device_difference *out, struct asc_err *e)
{
	struct cuda_checks *c = get_checks(d);
	struct device_tolerance t = *how;
	int type = (int)t.type, exact = t.exact;
	cuda_address at = cuda_buffer_address(b), there = cuda_buffer_address(reference);
	unsigned blocks = count_blocks(t.count);
	const struct partial *partials = d->stages[0];

	*out = (struct device_difference){.first = -1};
	if (!c)
		return asc_err_set(e, ASC_ABSENT, "there is no compiler for the comparison");
	if (run(d, c->compare,
		(void *[]){&at, &there, &t.count, &type, &t.atol, &t.rtol, &exact, &t.mask,
			   &c->partials},
		blocks, sizeof *partials, e))
		return e->status;
	/* Maxima, sums and the first index of all blocks: what a loop over the elements finds, but
	 * for the order of the sum. */
	for (unsigned i = 0; i < blocks; i++) {
		const struct partial *from = &partials[i];

		out->max_abs = fmax(out->max_abs, from->max_abs);
		out->max_rel = fmax(out->max_rel, from->max_rel);
		out->sum_abs += from->sum_abs;
		out->not_finite += from->not_finite;
		if (from->bad > 0 && (out->bad == 0 || from->first < out->first))
			out->first = from->first;
		out->bad += from->bad;
	}
	return out->bad > 0 ? read_first(d, b, reference, how, out, e) : ASC_OK;
}
