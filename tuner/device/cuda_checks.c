#include "tuner/device/cuda_checks.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/log.h"
#include "tuner/device/cuda_buffer.h"
#include "tuner/device/cuda_checks_source.h"
#include "tuner/device/cuda_compile.h"
#include "tuner/device/cuda_kernel.h"

enum { MAX_BLOCKS = 1024 };

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
	struct CUmod_st *modules[2];
	struct CUfunc_st *compare, *digest;
	cuda_address partials; /* of MAX_BLOCKS blocks */
};

/* ---- compiling ---- */

static void print_source(struct buf *out)
{
	for (int t = 0; t < DTYPE_COUNT; t++)
		buf_print(out, "#define DTYPE_%s %d\n", dtype_name((enum dtype)t), t);
	buf_add_str(out, cuda_checks_source);
}

static enum asc_status compile(const char *arch, struct buf *image, struct asc_err *e)
{
	struct buf source = {0};

	print_source(&source);
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
	    cuda_module_load(d, c->image.data, "digest", &c->modules[1], &c->digest, e))
		return e->status;
	return cuda_check(d, d->cu->alloc(&c->partials, bytes), "cuMemAlloc", e);
}

/* NULL when they cannot be had. */
static struct cuda_checks *get_checks(struct device *d)
{
	struct cuda_checks *c = d->checks;
	struct asc_err why;

	if (c->loaded)
		return c->usable ? c : NULL;
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
	for (size_t i = 0; i < 2; i++)
		if (c->modules[i])
			(void)d->cu->module_unload(c->modules[i]);
	if (c->partials)
		(void)d->cu->free(c->partials);
	buf_fini(&c->image);
	free(c);
}

/* ---- launching ---- */

/* As many blocks as have something to do, at most MAX_BLOCKS. */
static unsigned count_blocks(int64_t items)
{
	int64_t blocks = (items + CHECKS_THREADS - 1) / CHECKS_THREADS;

	return (unsigned)(blocks < 1 ? 1 : blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS);
}

/* Runs the kernel and brings its partial results to the first stage, on which it returns. */
static enum asc_status run(struct device *d, struct CUfunc_st *function, void **args,
			   unsigned blocks, size_t partial_bytes, struct asc_err *e)
{
	const struct cuda_launch_config config = {
		.grid = {blocks, 1, 1}, .block = {CHECKS_THREADS, 1, 1}, .stream = d->stream};

	if (cuda_check(d, d->cu->launch((const void *)&config, function, args, NULL),
		       "cuLaunchKernelEx", e))
		return e->status;
	d->unclocked++;
	if (cuda_check(d,
		       d->cu->get(d->stages[0], d->checks->partials, blocks * partial_bytes,
				  d->stream),
		       "cuMemcpyDtoHAsync", e))
		return e->status;
	return cuda_wait(d, "looking at the memory", e);
}

static enum asc_status digest_on_host(struct device *d, cuda_address at, size_t bytes,
				      uint64_t *out, struct asc_err *e)
{
	void *copy = malloc(bytes + 1);

	if (!copy)
		return asc_err_nomem(e);
	enum asc_status s = cuda_copy_out(d, at, copy, bytes, e);
	*out = s ? 0 : hash_bytes(copy, bytes);
	free(copy);
	return s;
}

enum asc_status cuda_checks_digest(struct device *d, cuda_address at, size_t bytes, uint64_t *out,
				   struct asc_err *e)
{
	struct cuda_checks *c = get_checks(d);
	int64_t count = (int64_t)(bytes / sizeof(uint64_t));
	int rest = (int)(bytes % sizeof(uint64_t));
	unsigned blocks = count_blocks(count);
	const uint64_t *partials = d->stages[0];

	*out = 0;
	if (!c)
		return digest_on_host(d, at, bytes, out, e);
	if (run(d, c->digest, (void *[]){&at, &count, &rest, &c->partials}, blocks,
		sizeof *partials, e))
		return e->status;
	for (unsigned i = 0; i < blocks; i++)
		*out += partials[i];
	return ASC_OK;
}

/* ---- comparing ---- */

static void merge(struct device_difference *to, const struct partial *from)
{
	to->max_abs = fmax(to->max_abs, from->max_abs);
	to->max_rel = fmax(to->max_rel, from->max_rel);
	to->sum_abs += from->sum_abs;
	to->not_finite += from->not_finite;
	if (from->bad > 0 && (to->bad == 0 || from->first < to->first))
		to->first = from->first;
	to->bad += from->bad;
}

/* The values of the first bad element. */
static enum asc_status read_first(struct device *d, const struct device_buffer *b,
				  const struct device_buffer *reference, enum dtype type,
				  struct device_difference *out, struct asc_err *e)
{
	unsigned char element[sizeof(double)];
	size_t bytes = dtype_bytes(type);
	cuda_address at = cuda_buffer_address(b) + (uint64_t)out->first * bytes;
	cuda_address there = cuda_buffer_address(reference) + (uint64_t)out->first * sizeof(double);

	if (cuda_copy_out(d, at, element, bytes, e) ||
	    cuda_copy_out(d, there, &out->first_reference, sizeof out->first_reference, e))
		return e->status;
	dtype_to_double(type, element, &out->first_out, 1);
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
		(void *[]){&at, &there, &t.count, &type, &t.atol, &t.rtol, &exact, &c->partials},
		blocks, sizeof *partials, e))
		return e->status;
	for (unsigned i = 0; i < blocks; i++)
		merge(out, &partials[i]);
	return out->bad > 0 ? read_first(d, b, reference, t.type, out, e) : ASC_OK;
}
