/* OpenBLAS on the CPU: libopenblas.so.0, or the file that $ASCTUNE_OPENBLAS names.
 *
 * A process has one library, and its number of threads is a setting of the library, set before
 * every launch. The library's threads spin after a call, by default for 2^26 clock cycles, tens of
 * milliseconds in which they take processors from the next measurement. Here they sleep after 2^20
 * cycles, which is over before the next kernel's first sample, yet keeps them awake from one call
 * to the next, unless $OPENBLAS_THREAD_TIMEOUT is set. The threads are kept on the processors of
 * the device's own threads, where the library allows it. */
#include "tuner/device/vendor/openblas.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/device/cpu/cpu_threads.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/workload/binding/binding.h"

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

/* Sets the time as a power of two of clock cycles; the library reads it as it is opened. */
static void limit_spinning(void)
{
	(void)setenv("OPENBLAS_THREAD_TIMEOUT", "20", 0);
}

static const char *const files[] = {"libopenblas.so.0", NULL};
static struct openblas blas;
static struct library library = {.variable = "ASCTUNE_OPENBLAS",
				 .files = files,
				 .advice = " (Debian: apt-get install libopenblas0-pthread)",
				 .symbols = symbols,
				 .table = &blas,
				 .before = limit_spinning};

static enum asc_status openblas_open(struct asc_err *e)
{
	return library_once(&library, e);
}

static enum asc_status openblas_identity(const char *name, struct buf *out, struct asc_err *e)
{
	(void)name;
	if (library_once(&library, e))
		return e->status;
	buf_add_str(out, blas.get_config());
	return buf_check(out, e);
}

/* ---- arguments ---- */

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

/* ---- openblas:gemm: C = A B, all row-major f32, A of M x K, B of K x N; launch.threads threads
 * ---- */

enum { A, B, C, M, N, K };

static const struct vendor_argument gemm_takes[] = {{"A", ARG_TENSOR, 0},
						    {"B", ARG_TENSOR, 0},
						    {"C", ARG_TENSOR, 0},
						    {"M", ARG_SCALAR, DTYPE_I64},
						    {"N", ARG_SCALAR, DTYPE_I64},
						    {"K", ARG_SCALAR, DTYPE_I64},
						    {0}};

static enum asc_status gemm_prepare(struct vendor_call *c, const struct vendor_site *site,
				    struct asc_err *e)
{
	struct openblas_gemm *g = &c->gemm;

	g->a = site->operands[A].address;
	g->b = site->operands[B].address;
	g->c = site->operands[C].address;
	if (openblas_size(site, c->function, M, &g->m, e) ||
	    openblas_size(site, c->function, N, &g->n, e))
		return e->status;
	return openblas_size(site, c->function, K, &g->k, e);
}

static void gemm_run(struct vendor_call *c)
{
	const struct openblas_gemm *g = &c->gemm;

	c->blas->sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, g->m, g->n, g->k, 1, g->a,
		       g->k, g->b, g->n, 0, g->c, g->n);
}

const struct openblas_function openblas_gemm = {"gemm", gemm_takes, gemm_prepare, gemm_run};

/* ---- calls ---- */

static enum asc_status fill_call(struct vendor_call *c, const struct vendor_site *site,
				 const char *function, struct asc_err *e)
{
	if (library_once(&library, e))
		return e->status;
	c->blas = &blas;
	for (size_t i = 0; functions[i]; i++)
		if (strcmp(functions[i]->name, function) == 0)
			c->function = functions[i];
	if (!c->function)
		return asc_err_set(e, ASC_INPUT, "openblas has no function \"%s\" here", function);
	if (vendor_check_arguments(function, c->function->takes, site, e))
		return asc_err_wrap(e, "openblas");
	c->threads = (int)site->plan->threads;
	c->team = site->queue;
	return c->function->prepare(c, site, e);
}

static void openblas_fini(struct vendor_call *c)
{
	free(c);
}

static enum asc_status openblas_prepare(const struct vendor_site *site, const char *function,
					struct vendor_call **out, struct vendor_needs *needs,
					struct asc_err *e)
{
	struct vendor_call *c = calloc(1, sizeof *c);

	(void)needs;
	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	if (fill_call(c, site, function, e)) {
		openblas_fini(c);
		return e->status;
	}
	/* Starts the library's threads and keeps each on its own processor, that of the device's
	 * thread of the same number. Before the caller's thread is pinned: threads that are started
	 * later would stay on that processor. */
	const struct cpu_places *places = cpu_threads_places(site->queue);
	cpu_set_t one;

	blas.set_num_threads(c->threads);
	for (int i = 0; blas.set_affinity && i + 1 < c->threads; i++)
		if (cpu_places_find(places, (size_t)i + 1, &one))
			(void)blas.set_affinity(i, sizeof one, &one);
	*out = c;
	return ASC_OK;
}

/* The device's threads sleep where the library's own will run, on the same processors. */
static void openblas_ready(struct vendor_call *c)
{
	if (c->threads > 1)
		cpu_threads_rest(c->team);
}

static enum asc_status openblas_enqueue(struct vendor_call *c, void *workspace, struct asc_err *e)
{
	(void)workspace;
	(void)e;
	/* One setting of the library for all calls, which another one may have changed. */
	blas.set_num_threads(c->threads);
	c->function->run(c);
	return ASC_OK;
}

const struct vendor_ops vendor_openblas = {
	.revision = 2,
	.name = "openblas",
	.summary = "OpenBLAS on the CPU: gemm, sdpa",
	.device = "cpu",
	.functions = function_names,
	.open = openblas_open,
	.identity = openblas_identity,
	.prepare = openblas_prepare,
	.ready = openblas_ready,
	.enqueue = openblas_enqueue,
	.fini = openblas_fini,
};
