/* How many CUDA kernels the build pool compiles in a second: configurations from all over
 * an implementation's space for a device with an H200's limits, each with an empty cache.
 *
 *     compile_rate ASCTUNE WORKLOAD PROBLEM IMPLEMENTATION COUNT JOBS CACHE WANTED
 *
 * prints kernels a second, and seconds of a compiler each. Exit status 1 when fewer a second than
 * wanted are compiled, or one is refused. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/h200.h"
#include "tuner/base/units.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/model/binding.h"
#include "tuner/model/space.h"

#define LIMIT_NS INT64_C(120000000000)
enum { MAX_COUNT = 4096 };

static struct config configs[MAX_COUNT];
static struct plan plans[MAX_COUNT];
static struct asc_err e;

static bool submit(struct pool *p, const struct binding *b, const struct implementation *i,
		   const struct space *s, const char *program, size_t k)
{
	const struct build_job job = {.workload = b->workload,
				      .call = &i->call,
				      .implementation = i,
				      .config = &configs[k],
				      .names = space_names(s),
				      .binding = b,
				      .plan = &plans[k],
				      .device = "cuda",
				      .arch = "sm_90a",
				      .entry = callable_entry(&i->call, "cuda"),
				      .program = program};

	return !binding_plan(b, i, &configs[k], &plans[k], &e) &&
	       !pool_submit(p, k, builder_find("nvrtc"), &job, &e);
}

/* As many as wanted, or all there are, equally far apart. */
static size_t draw(const struct space *s, size_t wanted)
{
	uint64_t count = space_count(s);
	size_t n = count < wanted ? (size_t)count : wanted;

	for (size_t k = 0; k < n; k++)
		space_get(s, k * count / n, &configs[k]);
	return n;
}

static int run(struct pool *p, const struct binding *b, const struct implementation *i,
	       const struct space *s, const char *program, size_t wanted, double least)
{
	struct pool_done done;
	size_t n = draw(s, wanted), refused = 0;
	int64_t start = clock_now_ns(), spent = 0;

	for (size_t k = 0; k < n; k++)
		if (!submit(p, b, i, s, program, k))
			return fprintf(stderr, "%s\n", e.text), 1;
	while (pool_pending(p) && pool_take(p, -1, &done)) {
		refused += !done.ok;
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
	if (!problem || !i || count > MAX_COUNT)
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
