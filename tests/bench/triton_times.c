/* Time of builds of Triton kernels beside the compiler's own: `triton_times FOLDER COUNT`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats/stats.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"

#define LIMIT_NS INT64_C(120000000000)
#define MOST_MS  5.0

enum { MOST_BUILDS = 1000 };

static void fill(struct build_request *r, int number)
{
	char text[16];

	build_request_init(r, TEST_DATA "/data/triton/kernels.py", "product", "sm_90a", NULL);
	for (int i = 0; i < 3; i++)
		build_request_add(
			r, &(struct build_argument){.kind = BUILD_TENSOR, .type = DTYPE_F16});
	for (int i = 0; i < 3; i++)
		build_request_add(r, &(struct build_argument){.kind = BUILD_SCALAR,
							      .type = DTYPE_I32,
							      .number = 4096});
	build_request_define(r, "BLOCK", "32");
	/* A number of registers that changes nothing makes each build another one. */
	(void)snprintf(text, sizeof text, "%d", 100 + number % 150);
	build_request_define(r, "maxnreg", text);
	(void)snprintf(text, sizeof text, "%d", 1 + number / 150);
	build_request_define(r, "num_stages", text);
}

/* Time that the compiler itself has taken, as its metadata tells. */
static double own_ns(const struct pool_done *d)
{
	static const char name[] = "\"X-compile_ns\":";
	const char *at = d->artifact.metadata ? strstr(d->artifact.metadata, name) : NULL;

	return at ? strtod(at + strlen(name), NULL) : 0;
}

static bool build(struct pool *pool, int number, double *beside_ms, double *own_ms)
{
	struct build_request r;
	struct pool_done done = {0};
	struct asc_err e = {0};

	fill(&r, number);
	if (pool_submit(pool, 1, &builder_triton, &r, &e) || !pool_take(pool, -1, &done))
		(void)fprintf(stderr, "%s\n", e.text);
	const bool built = done.artifact.outcome == ARTIFACT_BUILT;

	*own_ms = own_ns(&done) / 1e6;
	*beside_ms = (double)done.spent_ns / 1e6 - *own_ms;
	if (!built)
		(void)fprintf(stderr, "%s\n", done.log ? done.log : "");
	pool_done_fini(&done);
	return built;
}

int main(int argc, char **argv)
{
	static double beside[MOST_BUILDS], own[MOST_BUILDS];
	const int count = argc > 2 ? atoi(argv[2]) : 0;
	char reason[512] = "";
	struct pool *pool;
	struct asc_err e = {0};

	if (argc < 2 || count < 1 || count > MOST_BUILDS ||
	    !builder_is_usable(&builder_triton, reason, sizeof reason) ||
	    pool_open(argv[1], 1, LIMIT_NS, &pool, &e)) {
		(void)fprintf(stderr, "triton_times FOLDER COUNT: %s%s\n", reason, e.text);
		return 2;
	}
	bool ok = build(pool, count, &beside[0], &own[0]); /* starts the process */
	for (int i = 0; i < count && ok; i++)
		ok = build(pool, i, &beside[i], &own[i]);
	pool_close(pool);
	if (!ok)
		return 1;
	const double median = stats_select_median(beside, (size_t)count);

	printf("%d builds by one process: %.1f ms in the compiler and %.2f ms beside it (medians), "
	       "wanted at most %.0f ms beside it\n",
	       count, stats_select_median(own, (size_t)count), median, MOST_MS);
	return median > MOST_MS;
}
