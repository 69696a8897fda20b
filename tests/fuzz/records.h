/* Invariants of the records of any file of results: each has the parameters of the first, a status,
 * and times that are in order. */
#ifndef ASCTUNE_TESTS_FUZZ_RECORDS_H
#define ASCTUNE_TESTS_FUZZ_RECORDS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/formats/t4.h"

struct records {
	size_t n;
	char **names; /* those of the first record */
	size_t n_names;
};

static inline void records_keep_names(struct records *seen, const struct t4_record *r)
{
	seen->n_names = r->config.n;
	seen->names = calloc(r->config.n + 1, sizeof *seen->names);
	for (size_t i = 0; seen->names && i < r->config.n; i++)
		seen->names[i] = strdup(r->names[i]);
}

static inline void records_check_result(const struct result *r)
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

/* A t4_visit_fn; `user` is a struct records. */
static inline enum asc_status records_visit(void *user, const struct t4_record *r,
					    struct asc_err *e)
{
	struct records *seen = user;

	(void)e;
	if (seen->n++ == 0)
		records_keep_names(seen, r);
	if (r->config.n != seen->n_names)
		abort();
	for (size_t i = 0; seen->names && i < r->config.n; i++)
		if (strcmp(r->names[i], seen->names[i]) != 0)
			abort();
	records_check_result(&r->result);
	return ASC_OK;
}

static inline void records_fini(struct records *seen)
{
	for (size_t i = 0; seen->names && i < seen->n_names; i++)
		free(seen->names[i]);
	free(seen->names);
	*seen = (struct records){0};
}

#endif
