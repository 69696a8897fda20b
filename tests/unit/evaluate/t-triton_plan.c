/* Launches of a workload's Triton kernels, from its file to the plan that a device is given, for
 * several architectures; no GPU is needed. The results are for tests/device/triton.t.
 * covers: kernel_request.c plan_metadata.c binding_plan.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/plan_metadata.h"
#include "tuner/workload/binding/workload_open.h"

#define LIMIT_NS INT64_C(120000000000)

static char cache[300];
static struct pool *pool;
static struct workload *workload;

/* ---- one configuration ---- */

static struct facts facts_of(int64_t capability)
{
	struct facts f = {0};

	f.known[FACT_COMPUTE_CAPABILITY] = f.known[FACT_BLOCK_SHARED_BYTES] = true;
	f.value[FACT_COMPUTE_CAPABILITY] = capability;
	f.value[FACT_BLOCK_SHARED_BYTES] = 227 << 10;
	return f;
}

/* Plans the default configuration and builds it; false where either fails. */
static bool plan_one(const struct binding *b, const struct implementation *i, size_t call,
		     const char *arch, struct plan *plan)
{
	const char *names[CONFIG_MAX_PARAMETERS + 1] = {0};
	struct config config = {.n = i->n_parameters};
	struct build_request r;
	struct pool_done done = {0};
	struct asc_err e = {0};

	for (size_t k = 0; k < i->n_parameters; k++) {
		names[k] = i->parameters[k].name;
		config.values[k] = i->parameters[k].default_value;
	}
	const struct kernel_source source = {.binding = b,
					     .call = &i->calls[call],
					     .implementation = i,
					     .config = &config,
					     .names = names,
					     .plan = plan,
					     .device = "cuda",
					     .arch = arch};
	if (binding_plan(b, i, call, &config, plan, &e)) {
		tap_note("%s", e.text);
		return false;
	}
	kernel_request(&builder_triton, &source, &r);
	bool ok = !pool_submit(pool, 1, &builder_triton, &r, &e) && pool_take(pool, -1, &done) &&
		  done.artifact.outcome == ARTIFACT_BUILT && done.artifact.metadata &&
		  !plan_complete(done.artifact.metadata, plan, &e);
	if (!ok)
		tap_note("%s: %s %s", i->name, e.text,
			 done.log      ? done.log
			 : done.reason ? done.reason
				       : "");
	pool_done_fini(&done);
	return ok;
}

/* ---- what is planned ---- */

static size_t count_kind(const struct plan *p, enum argument_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_arguments; i++)
		n += p->arguments[i].kind == kind;
	return n;
}

static void check_pointers(const struct plan *p, const struct problem *problem)
{
	const bool biased = problem->dims[3].value.i, one = problem->dims[0].value.i == 1;
	const size_t scalars = count_kind(p, ARG_SCALAR);

	tap_int(count_kind(p, ARG_TENSOR), biased ? 3 : 2, "%s: an absent tensor is not passed",
		problem->name);
	/* Rows, BIG and a factor, then no scratch memory: rows and BIG are constants where they
	 * are 1.
	 */
	tap_ok(scalars == (one ? 2U : 4U) || scalars == (one ? 3U : 5U),
	       "%s: what is 1 is no parameter", problem->name);
}

static void check_launch(const char *name, const struct plan *p, int64_t capability)
{
	const bool has_maps = capability >= 90;

	if (strcmp(name, "programmatic") == 0)
		tap_ok(p->programmatic, "a programmatic launch is one");
	else if (strcmp(name, "cooperative") == 0)
		tap_int(p->cooperative, 1, "a cooperative launch is one");
	else if (strcmp(name, "descriptors") == 0)
		tap_int(count_kind(p, ARG_TENSOR_MAP), has_maps ? 2 : 0,
			"compute capability %lld: tensor maps", (long long)capability);
	else if (strcmp(name, "scratch") == 0)
		tap_int(count_kind(p, ARG_SCRATCH), has_maps,
			"compute capability %lld: scratch memory", (long long)capability);
	else if (strcmp(name, "cluster") == 0)
		tap_ok(p->cluster[0] == 2 && p->grid[0] % 2 == 0 && p->spread,
		       "blocks of a cluster are two");
}

static void test_problem(const struct problem *problem, int64_t capability, const char *arch)
{
	struct facts facts = facts_of(capability);
	struct binding b;
	struct plan plan;
	struct asc_err e = {0};
	bool covers;
	char reason[512];

	if (!tap_int(binding_init(&b, workload, problem, "cuda", &facts, &e), ASC_OK, "%s: %s",
		     problem->name, e.text))
		return;
	for (size_t i = 0; i < workload->n_implementations; i++) {
		const struct implementation *one = &workload->implementations[i];

		if (binding_covers(&b, one, &covers, reason, sizeof reason, &e) || !covers)
			continue;
		for (size_t k = 0; k < one->n_calls; k++) {
			if (!tap_ok(plan_one(&b, one, k, arch, &plan), "%s: %s of %s has a plan",
				    arch, one->name, problem->name))
				continue;
			tap_ok(plan.block[0] >= 32 && *plan.entry,
			       "%s: threads and entry are the compiler's", one->name);
			if (strcmp(one->calls[k].entry.list[0].name, "pointers") == 0)
				check_pointers(&plan, problem);
			check_launch(one->name, &plan, capability);
		}
	}
	binding_fini(&b);
}

static void test_all(void)
{
	for (size_t i = 0; i < workload->n_problems; i++)
		test_problem(&workload->problems[i], 90, "sm_90a");
	test_problem(&workload->problems[0], 80, "sm_80");
	test_problem(&workload->problems[1], 100, "sm_100a");
}

/* ---- workloads of ours ---- */

/* Plans the default configuration of each Triton kernel where descriptors have the most parameters.
 */
static void test_kernels(const struct problem *problem)
{
	struct facts facts = facts_of(80);
	struct binding b;
	struct plan plan;
	struct asc_err e = {0};
	bool covers;
	char reason[512];

	if (!tap_int(binding_init(&b, workload, problem, "cuda", &facts, &e), ASC_OK, "%s: %s",
		     problem->name, e.text))
		return;
	for (size_t i = 0; i < workload->n_implementations; i++) {
		const struct implementation *one = &workload->implementations[i];

		if (strcmp(one->calls[0].builder, "triton") == 0 &&
		    !binding_covers(&b, one, &covers, reason, sizeof reason, &e) && covers)
			tap_ok(plan_one(&b, one, 0, "sm_80", &plan), "%s: %s of %s has a plan",
			       workload->name, one->name, problem->name);
	}
	binding_fini(&b);
}

static void test_workload(const char *path)
{
	struct asc_err e = {0};
	size_t i = 0;

	if (!tap_int(workload_open(path, &workload, &e), ASC_OK, "%s: %s", path, e.text))
		return;
	while (i < workload->n_problems && !name_list_has(&workload->problems[i].devices, "cuda"))
		i++;
	if (tap_ok(i < workload->n_problems, "%s has a problem for GPUs", workload->name)) {
		test_kernels(&workload->problems[i]);
	}
	workload_close(workload);
	workload = NULL;
}

static void test_workloads(void)
{
	static const char *const names[] = {"gemm",    "sdpa",  "rms_norm",
					    "softmax", "geglu", "gated_mlp"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[4096];

		snprintf(path, sizeof path, "%s/workloads/%s.json", PROJECT_ROOT, names[i]);
		test_workload(path);
	}
}

int main(void)
{
	const char *base = getenv("TMPDIR");
	char reason[512] = "";
	struct asc_err e = {0};

	if (!builder_is_usable(&builder_triton, reason, sizeof reason)) {
		tap_skip("%s", reason);
		return tap_done();
	}
	snprintf(cache, sizeof cache, "%s/triton-XXXXXX", base && *base ? base : "/tmp");
	/* Kernels import what they share from there. */
	if (tap_int(sandbox_grant(TEST_DATA "/../workloads", false, &e), ASC_OK,
		    "workloads are read") &&
	    tap_ok(mkdtemp(cache), "there is a folder for the cache") &&
	    tap_int(workload_open(TEST_DATA "/device/triton.json", &workload, &e), ASC_OK,
		    "the workload is opened: %s", e.text) &&
	    tap_int(pool_open(cache, 2, LIMIT_NS, &pool, &e), ASC_OK, "there is a pool"))
		test_all();
	workload_close(workload);
	workload = NULL;
	if (pool)
		test_workloads();
	pool_close(pool);
	dir_remove(cache);
	return tap_done();
}
