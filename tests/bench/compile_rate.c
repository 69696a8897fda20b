/* How many CUDA kernels the build pool compiles in a second: configurations from all over
 * an implementation's space for a device with an H200's limits, each with an empty cache.
 *
 *     compile_rate ASCTUNE WORKLOAD PROBLEM IMPLEMENTATION COUNT JOBS CACHE WANTED
 *
 * prints kernels a second, and seconds of a compiler each. Exit status 1 when fewer a second than
 * wanted are compiled, or one is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/h200.h"
#include "tuner/base/units.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/space.h"

#define LIMIT_NS INT64_C(120000000000)

static struct asc_err e;

static bool submit(struct pool *p, const struct binding *b, const struct implementation *i,
		   const struct space *s, const char *program, uint64_t index)
{
	struct config config;
	struct plan plan;
	struct build_request request;
	const struct kernel_source kernel = {.binding = b,
					     .call = &i->calls[0],
					     .implementation = i,
					     .config = &config,
					     .names = space_names(s),
					     .plan = &plan,
					     .device = "cuda",
					     .arch = "sm_90a",
					     .program = program};

	space_get(s, index, &config);
	if (binding_plan(b, i, 0, &config, &plan, &e))
		return false;
	kernel_request(builder_find("nvrtc", NULL), &kernel, &request);
	return !pool_submit(p, index, builder_find("nvrtc", NULL), &request, &e);
}

static int run(struct pool *p, const struct binding *b, const struct implementation *i,
	       const struct space *s, const char *program, size_t wanted, double least)
{
	struct pool_done done;
	const uint64_t count = space_count(s);
	size_t n = count < wanted ? (size_t)count : wanted, refused = 0;
	int64_t start = clock_now_ns(), spent = 0;

	for (size_t k = 0; k < n; k++)
		if (!submit(p, b, i, s, program, k * count / n))
			return fprintf(stderr, "%s\n", e.text), 1;
	while (pool_pending(p) && pool_take(p, -1, &done)) {
		refused += done.artifact.outcome != ARTIFACT_BUILT;
		spent += done.spent_ns;
		pool_done_fini(&done);
	}
	double wall = (double)(clock_now_ns() - start) * 1e-9;
	printf("%zu kernels in %.2f s: %.1f a second (wanted: %.1f), %.3f s each; %zu refused "
	       "(wanted: 0)\n",
	       n, wall, (double)n / wall, least, (double)spent * 1e-9 / (double)n, refused);
	return refused > 0 || (double)n / wall < least;
}

int main(int argc, char **argv)
{
	struct workload *w = NULL;
	struct binding b;
	struct space *s = NULL;
	struct pool *p = NULL;

	if (argc != 9)
		return fprintf(stderr, "see the head of the source for the arguments\n"), 2;
	size_t count = strtoul(argv[5], NULL, 10), jobs = strtoul(argv[6], NULL, 10);
	if (workload_open(argv[2], &w, &e))
		return fprintf(stderr, "%s\n", e.text), 2;
	const struct problem *problem = workload_find_problem(w, argv[3]);
	const struct implementation *i = workload_find_implementation(w, argv[4]);
	if (!problem || !i)
		return fprintf(stderr, "%s %s: no such problem or implementation\n", argv[3],
			       argv[4]),
		       2;
	if (binding_init(&b, w, problem, "cuda", h200_facts(), &e) ||
	    binding_space(&b, i, &s, &e) || pool_open(argv[7], jobs, LIMIT_NS, &p, &e))
		return fprintf(stderr, "%s\n", e.text), 2;
	int status = run(p, &b, i, s, argv[1], count, strtod(argv[8], NULL));
	pool_close(p);
	space_free(s);
	binding_fini(&b);
	workload_close(w);
	return status;
}
