/* OpenBLAS on the CPU: libopenblas.so.0, or the file that $ASCTUNE_OPENBLAS names.
 *
 * There is one library in the process, and how many threads it uses is a setting of the library, so
 * it is set before every launch. Its threads spin after a call, by default for 2^26 clock cycles,
 * tens of milliseconds in which they take processors from whatever is measured next; here they
 * sleep after 2^20, which is over before the next kernel's first sample, yet keeps them awake from
 * one call to the next, unless $OPENBLAS_THREAD_TIMEOUT already says otherwise. They are kept on
 * the processors that the device's own threads have, where the library lets us. */
#include "tuner/device/openblas.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/library.h"
#include "tuner/device/cpu_places.h"
#include "tuner/device/cpu_threads.h"
#include "tuner/device/vendors.h"
#include "tuner/model/binding.h"

#define AT(member) offsetof(struct openblas, member)
static const struct library_symbol symbols[] = {
	{"cblas_sgemm", AT(sgemm), false},
	{"openblas_set_num_threads", AT(set_num_threads), false},
	{"openblas_setaffinity", AT(set_affinity), true},
	{"openblas_get_config", AT(get_config), false},
	{0}};
#undef AT

static const struct openblas_function *const functions[] = {&openblas_gemm, &openblas_sdpa, NULL};
static const char *const function_names[] = {"gemm", "sdpa", NULL};

static struct {
	pthread_once_t once;
	struct openblas blas;
	struct asc_err failure; /* status ASC_OK: the library is there */
} library = {.once = PTHREAD_ONCE_INIT};

/* In powers of two of clock cycles; the library reads it as it is opened. */
static void open_library(void)
{
	const char *named = getenv("ASCTUNE_OPENBLAS");

	(void)setenv("OPENBLAS_THREAD_TIMEOUT", "20", 0);
	const bool chosen = named && *named;
	struct asc_err e;

	if (library_open(chosen ? named : "libopenblas.so.0", symbols, &library.blas, &e))
		asc_err_set(&library.failure, e.status, "%s%s", e.text,
			    chosen ? "" : " (Debian: apt-get install libopenblas0-pthread)");
}

static enum asc_status get_library(const struct openblas **out, struct asc_err *e)
{
	(void)pthread_once(&library.once, open_library);
	*out = &library.blas;
	*e = library.failure;
	return e->status;
}

static bool openblas_check(char *reason, size_t size)
{
	const struct openblas *blas;
	struct asc_err e;

	if (get_library(&blas, &e) == ASC_OK)
		return true;
	snprintf(reason, size, "%s", e.text);
	return false;
}

static enum asc_status openblas_identity(struct buf *out, struct asc_err *e)
{
	const struct openblas *blas;

	if (get_library(&blas, e))
		return e->status;
	buf_add_str(out, blas->get_config());
	return buf_check(out, e);
}

/* ---- arguments ---- */

float *openblas_pointer(const struct vendor_site *site, size_t i)
{
	void *pointer;

	memcpy(&pointer, site->args[i], sizeof pointer);
	return pointer;
}

int64_t openblas_count(const struct vendor_site *site, size_t i)
{
	return site->plan->arguments[i].scalar.i;
}

enum asc_status openblas_size(const struct vendor_site *site, const struct openblas_function *f,
			      size_t i, int *out, struct asc_err *e)
{
	int64_t v = openblas_count(site, i);

	if (v < 1 || v > INT_MAX)
		return asc_err_set(e, ASC_LIMIT, "openblas:%s: %s is %lld, expected 1 to %d",
				   f->name, f->takes[i].name, (long long)v, INT_MAX);
	*out = (int)v;
	return ASC_OK;
}

/* ---- calls ---- */

static const struct openblas_function *find_function(const char *name)
{
	size_t i = 0;

	while (functions[i] && strcmp(functions[i]->name, name) != 0)
		i++;
	return functions[i];
}

static enum asc_status fill_call(struct vendor_call *c, const struct vendor_site *site,
				 const char *function, struct asc_err *e)
{
	if (get_library(&c->blas, e))
		return e->status;
	c->function = find_function(function);
	if (!c->function)
		return asc_err_set(e, ASC_INPUT, "openblas has no function \"%s\" here", function);
	if (vendor_check_arguments(function, c->function->takes, site->plan, e))
		return asc_err_wrap(e, "openblas");
	c->threads = (int)site->plan->threads;
	return c->function->prepare(c, site, e);
}

/* Starts the threads before the caller's is kept on its processor, where they would stay too, and
 * keeps each on its own. */
static void place_threads(const struct vendor_call *c, const struct cpu_threads *team)
{
	const struct cpu_places *places = cpu_threads_places(team);
	cpu_set_t one;

	c->blas->set_num_threads(c->threads);
	for (int i = 0; c->blas->set_affinity && i + 1 < c->threads; i++)
		if (cpu_places_find(places, (size_t)i + 1, &one))
			(void)c->blas->set_affinity(i, sizeof one, &one);
}

static void openblas_fini(struct vendor_call *c)
{
	free(c);
}

static enum asc_status openblas_prepare(const struct vendor_site *site, const char *function,
					struct vendor_call **out, struct asc_err *e)
{
	struct vendor_call *c = calloc(1, sizeof *c);

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	if (fill_call(c, site, function, e)) {
		openblas_fini(c);
		return e->status;
	}
	place_threads(c, site->team);
	*out = c;
	return ASC_OK;
}

static enum asc_status openblas_enqueue(struct vendor_call *c, struct asc_err *e)
{
	(void)e;
	c->blas->set_num_threads(c->threads);
	c->function->run(c);
	return ASC_OK;
}

const struct vendor_ops vendor_openblas = {
	.version = VENDOR_OPS_VERSION,
	.revision = 2,
	.name = "openblas",
	.summary = "OpenBLAS on the CPU: gemm, sdpa",
	.device = "cpu",
	.functions = function_names,
	.check = openblas_check,
	.identity = openblas_identity,
	.prepare = openblas_prepare,
	.enqueue = openblas_enqueue,
	.fini = openblas_fini,
};
