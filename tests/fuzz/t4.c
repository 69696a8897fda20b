/* Any text as a T4 file: each record that is given has the parameters of the first, a status, and
 * times that are in order. */
#include "tuner/formats/t4.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"

struct seen {
	size_t records;
	char **names; /* those of the first record */
	size_t n_names;
};

static void keep_names(struct seen *seen, const struct t4_record *r)
{
	seen->n_names = r->config.n;
	seen->names = calloc(r->config.n + 1, sizeof *seen->names);
	for (size_t i = 0; seen->names && i < r->config.n; i++)
		seen->names[i] = strdup(r->names[i]);
}

static void check_result(const struct result *r)
{
	const struct stats_summary *t = &r->time;

	if (r->status >= RESULT_STATUS_COUNT || r->phase >= PHASE_COUNT)
		abort();
	if (t->n > 0 &&
	    (!isfinite(t->median) || t->median < 0 || t->min > t->median || t->median > t->max))
		abort();
	for (size_t i = 0; i < r->n_samples; i++)
		if (r->samples[i] < 0)
			abort();
}

static enum asc_status visit(void *user, const struct t4_record *r, struct asc_err *e)
{
	struct seen *seen = user;

	(void)e;
	if (seen->records++ == 0)
		keep_names(seen, r);
	if (r->config.n != seen->n_names)
		abort();
	for (size_t i = 0; seen->names && i < r->config.n; i++)
		if (strcmp(r->names[i], seen->names[i]) != 0)
			abort();
	check_result(&r->result);
	return ASC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = {0};
	struct t4 *t = NULL;
	struct asc_err e;

	if (t4_open("t4.json", size > 0 ? (const char *)data : "", size, &t, &e))
		return 0;
	if (t4_get_subject(t) == NULL)
		abort();
	(void)t4_each(t, visit, &seen, &e);
	t4_close(t);
	for (size_t i = 0; seen.names && i < seen.n_names; i++)
		free(seen.names[i]);
	free(seen.names);
	return 0;
}
