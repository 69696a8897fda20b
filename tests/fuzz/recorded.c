/* Any bytes as recorded results, a T4 file or a cache of Kernel Tuner, gzip or not: what is opened
 * has a space of as many configurations as there are results, times of those that passed in order,
 * and a score, or a reason for none. The file is in a folder of the process, which vanishes with
 * it.
 * covers: recorded.c t4.c */
#include "reports/exchange/formats/recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"
#include "tuner/base/file.h"
#include "tuner/tune/replay/score.h"
#include "tuner/workload/space/space.h"

static char folder[4096], path[4200];
static struct score_space score; /* large */

static void leave(void)
{
	dir_remove(folder);
}

static void enter_once(void)
{
	const char *parent = getenv("TMPDIR");

	if (folder[0])
		return;
	(void)snprintf(folder, sizeof folder, "%s/fuzz-recorded.XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(folder) || atexit(leave) != 0)
		abort();
	(void)snprintf(path, sizeof path, "%s/input_T4.json", folder);
}

static void check_lists(const struct recorded *r)
{
	size_t passed = 0;

	if (space_count(r->space) != r->n || (r->has_default && r->default_index >= r->n))
		abort();
	for (size_t i = 0; i < r->n; i++) {
		if (r->status[i] >= RESULT_STATUS_COUNT || !(r->spent_ns[i] >= 0) ||
		    (r->status[i] == RESULT_OK) == isnan(r->time_ns[i]))
			abort();
		passed += r->status[i] == RESULT_OK;
	}
	if (passed != r->n_valid || passed == 0)
		abort();
	for (size_t i = 1; i < r->n_valid; i++)
		if (!(r->sorted_ns[i - 1] <= r->sorted_ns[i]))
			abort();
}

static void check_score(const struct recorded *r)
{
	struct asc_err e;

	if (score_space_init(&score, r, &e))
		return;
	if (!(score.optimum_ns <= score.cutoff_ns) || !(score.cutoff_ns <= score.median_ns) ||
	    score.start_evals > score.end_evals || !(score.start_s <= score.end_s) ||
	    !(score.budget_s >= score.end_s))
		abort();
	if (score_rank(&score, r->sorted_ns[0]) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recorded *r = NULL, *twice = NULL;
	struct asc_err e;

	enter_once();
	if (file_write(path, data, size, &e))
		abort();
	if (recorded_open(path, &r, &e)) {
		if (r)
			abort();
		return 0;
	}
	check_lists(r);
	check_score(r);
	if (recorded_join((const struct recorded *const[]){r, r}, 2, &twice, &e) ||
	    twice->n != 2 * r->n || twice->n_valid != 2 * r->n_valid)
		abort();
	recorded_close(twice);
	recorded_close(r);
	return 0;
}
