/* Every problem of workloads/ that is meant for CUDA has kernels for it, in CUDA or Triton, and
 * each is compiled, where its compiler is, for each problem it covers, of a ladder for the first,
 * in Triton for the first of its types and tags: in its default configuration and, for the first of
 * its types, another of its space, on a device with an H200's limits. No GPU is needed. This
 * program is its own compile process.
 *
 * covers: workloads/cuda kernel_request.c */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/h200.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/stats/rng.h"
#include "tuner/build/builder.h"
#include "tuner/build/nvrtc_compile.h"
#include "tuner/build/pool.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/plan_metadata.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

#define LIMIT_NS INT64_C(120000000000)
enum { JOBS = 2 };

static const char *const files[] = {"gemm",
				    "sdpa",
				    "gated_mlp",
				    "add",
				    "mul",
				    "cast",
				    "cat",
				    "rms_norm",
				    "add_rms_norm",
				    "softmax",
				    "causal_softmax",
				    "swiglu",
				    "silu_and_mul",
				    "geglu",
				    "rotary_embedding",
				    "apply_rotary_pos_emb",
				    "reshape_and_cache",
				    NULL};
static char cache[300];
static struct pool *pool;

static struct compiler {
	const char *builder;
	char missing[512]; /* why it compiles nothing here; empty where it does */
} compilers[] = {{.builder = "nvrtc"}, {.builder = "triton"}};
enum { N_COMPILERS = sizeof compilers / sizeof *compilers };

/* NULL: the call's kernel is for no GPU, or a library's. */
static const struct compiler *find_compiler(const struct callable *call)
{
	for (int k = 0; k < N_COMPILERS; k++)
		if (strcmp(compilers[k].builder, call->builder) == 0)
			return &compilers[k];
	return NULL;
}

static void check_plan(const struct plan *p, const char *name)
{
	int64_t threads = p->block[0] * p->block[1] * p->block[2];
	if (threads < 32 || threads > 1024 || p->shared_bytes > 232448 || p->grid[1] > 65535)
		tap_ok(false, "%s: %" PRId64 " threads, %" PRId64 " bytes", name, threads,
		       p->shared_bytes);
}

/* Compiles and completes the plan with what the compiler says of a launch. */
static void compile(const struct kernel_source *kernel, const struct compiler *compiler,
		    struct plan *plan, const char *name)
{
	const struct builder_ops *builder = builder_find(compiler->builder, NULL);
	struct pool_done done = {0};
	struct build_request request;
	struct asc_err e = {0};

	if (*compiler->missing) {
		tap_skip("compiling %s: %s", name, compiler->missing);
		return;
	}
	kernel_request(builder, kernel, &request);
	if (!tap_ok(!pool_submit(pool, 1, builder, &request, &e) && pool_take(pool, -1, &done) &&
			    done.artifact.outcome == ARTIFACT_BUILT,
		    "%s compiles", name))
		tap_note("%s %s", done.reason ? done.reason : "", done.log ? done.log : e.text);
	else if (done.artifact.metadata &&
		 !tap_ok(!plan_complete(done.artifact.metadata, plan, &e), "its plan is complete"))
		tap_note("%s", e.text);
	else
		check_plan(plan, name);
	pool_done_fini(&done);
}

static void build(const struct binding *b, const struct implementation *i, size_t call,
		  const struct space *space, uint64_t index, const char *kernel)
{
	struct config c;
	struct plan plan;
	struct asc_err e = {0};
	struct buf name = {0};

	space_get(space, index, &c);
	buf_print(&name, "%s ", kernel);
	config_print(&c, space_names(space), &name);
	const struct kernel_source source = {.binding = b,
					     .call = &i->calls[call],
					     .implementation = i,
					     .config = &c,
					     .names = space_names(space),
					     .plan = &plan,
					     .device = "cuda",
					     .arch = "sm_90a",
					     .program = "/proc/self/exe"};
	if (tap_ok(!binding_plan(b, i, call, &c, &plan, &e), "%s has a plan", buf_str(&name))) {
		compile(&source, find_compiler(&i->calls[call]), &plan, buf_str(&name));
	} else {
		tap_note("%s", e.text);
	}
	buf_fini(&name);
}

/* Is the problem one of a ladder, behind the first? */
static bool is_behind_first(const struct workload *w, const struct problem *p)
{
	const char *dot = strchr(p->name, '.');

	return dot && p > w->problems &&
	       strncmp(p[-1].name, p->name, (size_t)(dot - p->name) + 1) == 0;
}

/* Is no problem before it of the same types and, where they count, of the same tags? */
static bool is_first(const struct workload *w, const struct problem *p, bool tags)
{
	for (const struct problem *q = w->problems; q < p; q++) {
		size_t same = 0, tagged = 0;

		for (size_t i = 0; i < p->n_dtypes && i < q->n_dtypes; i++)
			same += p->dtypes[i].dtype == q->dtypes[i].dtype;
		for (size_t i = 0; i < p->tags.n; i++)
			tagged += name_list_has(&q->tags, p->tags.names[i]);
		if (same == p->n_dtypes && (!tags || tagged == p->tags.n))
			return false;
	}
	return true;
}

/* Is it a kernel for the problem on a GPU? Then its builds are checked. */
static bool check_call(const struct binding *b, const struct implementation *i, size_t call)
{
	struct space *space = NULL;
	struct asc_err e;
	struct rng r;
	char reason[200], name[100];
	bool covers = false;
	uint64_t index = 0;

	if (binding_covers(b, i, &covers, reason, sizeof reason, &e))
		tap_ok(false, "%s: %s", i->name, e.text);
	if (!covers || !find_compiler(&i->calls[call]))
		return false;
	snprintf(name, sizeof name, "%s/%s %s", b->workload->name, b->problem->name, i->name);
	if (!tap_ok(!binding_space(b, i, &space, &e) && space_default(space, &index),
		    "%s has configurations", name))
		return true;
	tap_note("%s: %" PRIu64 " configurations", name, space_count(space));
	/* Triton takes ten times as long as NVRTC. */
	if (!is_behind_first(b->workload, b->problem) &&
	    (strcmp(i->calls[call].builder, "triton") != 0 ||
	     is_first(b->workload, b->problem, true)))
		build(b, i, call, space, index, name);
	rng_init(&r, 7);
	if (is_first(b->workload, b->problem, false))
		build(b, i, call, space, space_sample(space, &r), name);
	space_free(space);
	return true;
}

static void check_problem(const struct workload *w, const struct problem *p)
{
	struct limits limits;
	struct binding b;
	struct asc_err e;
	int kernels = 0;

	if (!tap_ok(limits_find("sm_90", &limits), "limits are known"))
		return;
	if (!tap_int(binding_init(&b, w, p, "cuda", h200_facts(), &e), ASC_OK, "%s/%s is bound",
		     w->name, p->name))
		return;
	b.limits = &limits;
	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls; k++)
			kernels += check_call(&b, &w->implementations[i], k);
	tap_ok(kernels > 0, "%s/%s has a kernel for GPUs", w->name, p->name);
	binding_fini(&b);
}

static void check_workload(const char *name)
{
	struct workload *w = NULL;
	struct asc_err e;
	char path[400];

	snprintf(path, sizeof path, PROJECT_ROOT "/workloads/%s.json", name);
	if (!tap_int(workload_open(path, &w, &e), ASC_OK, "%s is read", name))
		return;
	for (size_t p = 0; p < w->n_problems; p++)
		if (name_list_has(&w->problems[p].devices, "cuda"))
			check_problem(w, &w->problems[p]);
	workload_close(w);
}

int main(int argc, char **argv)
{
	const char *base = getenv("TMPDIR");
	struct asc_err e;

	if (argc > 1 && strcmp(argv[1], NVRTC_COMMAND) == 0)
		return compile_serve(&nvrtc_service) ? 0 : 1;
	for (int k = 0; k < N_COMPILERS; k++)
		if (builder_is_usable(builder_find(compilers[k].builder, NULL),
				      compilers[k].missing, sizeof compilers[k].missing))
			*compilers[k].missing = '\0';
	snprintf(cache, sizeof cache, "%s/cuda-XXXXXX", base && *base ? base : "/tmp");
	if (tap_ok(mkdtemp(cache), "there is a folder for the cache") &&
	    tap_int(sandbox_grant(PROJECT_ROOT "/workloads", false, &e), ASC_OK,
		    "compilers read the workloads") &&
	    tap_int(pool_open(cache, JOBS, LIMIT_NS, &pool, &e), ASC_OK, "there is a pool"))
		for (size_t i = 0; files[i]; i++)
			check_workload(files[i]);
	pool_close(pool);
	dir_remove(cache);
	return tap_done();
}
