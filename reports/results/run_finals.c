#include "reports/results/run_finals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/results/run_table.h"
#include "reports/results/today.h"
#include "tuner/base/buf.h"

static enum asc_status add_final(void *user, const struct db_run_final *row, struct asc_err *e)
{
	struct run_finals *f = user;
	struct db_run_final *list = realloc(f->list, (f->n + 1) * sizeof *list);

	if (!list)
		return asc_err_nomem(e);
	f->list = list;
	struct db_run_final *x = &f->list[f->n];

	*x = *row;
	x->implementation = arena_copy(&f->texts, row->implementation);
	x->config_key = arena_copy(&f->texts, row->config_key);
	if (!x->implementation || !x->config_key)
		return asc_err_nomem(e);
	f->n++;
	return ASC_OK;
}

enum asc_status run_finals_read(struct db *d, int64_t run_id, struct run_finals *out,
				struct asc_err *e)
{
	*out = (struct run_finals){0};
	const enum asc_status status = today_each_run_final(d, run_id, add_final, out, e);

	if (status != ASC_OK)
		run_finals_fini(out);
	return status;
}

void run_finals_fini(struct run_finals *f)
{
	free(f->list);
	arena_fini(&f->texts);
	*f = (struct run_finals){0};
}

/* ---- bits ---- */

int run_finals_class(const struct run_finals *f, const struct db_run_final *x)
{
	const struct db_run_final *found = NULL; /* the first of the class */
	int number = 0;

	for (size_t i = 0; i < f->n && !found; i++)
		if (strcmp(f->list[i].bits.digest, x->bits.digest) == 0)
			found = &f->list[i];
	if (!found || !*found->bits.digest)
		return -1;
	for (const struct db_run_final *at = f->list; at < found; at++) {
		const struct db_run_final *first = f->list;

		while (strcmp(first->bits.digest, at->bits.digest) != 0)
			first++;
		number += first == at && *at->bits.digest;
	}
	return number;
}

void run_finals_print_bits(const struct run_finals *f, struct buf *out)
{
	int classes = 0, known = 0;

	for (size_t i = 0; i < f->n; i++) {
		const int own = run_finals_class(f, &f->list[i]);

		if (own >= 0 && f->list[i].winner) {
			result_bits_print(&f->list[i].bits, out);
			buf_add_str(out, "; ");
		}
		classes = own >= classes ? own + 1 : classes;
		known += own >= 0;
	}
	if (known > 0)
		buf_print(out, "%d %s among %d %s", classes, classes == 1 ? "class" : "classes",
			  known, known == 1 ? "finalist" : "finalists");
}

/* ---- the first ---- */

static struct run_place place_of_final(const struct run_table *t, const struct db_run_final *f)
{
	return (struct run_place){f->implementation,
				  f->config_key,
				  run_table_find(t, f->implementation, f->config_key),
				  f,
				  f->median_ns,
				  f->low_ns,
				  f->high_ns};
}

static size_t add_finals(const struct run_table *t, const struct run_finals *f,
			 enum standing standing, struct run_place *out, size_t n, size_t most)
{
	for (size_t i = 0; i < f->n && n < most; i++)
		if (f->list[i].standing == standing)
			out[n++] = place_of_final(t, &f->list[i]);
	return n;
}

static bool is_listed(const struct run_table *t, const struct run_trial *x,
		      const struct run_place *list, size_t n)
{
	const char *implementation = t->implementations[x->implementation].name;

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].config_key, x->config_key) == 0 &&
		    strcmp(list[i].implementation, implementation) == 0)
			return true;
	return false;
}

static const struct run_trial *next_fastest(const struct run_table *t, const struct run_place *list,
					    size_t n)
{
	const struct run_trial *best = NULL;

	for (size_t k = 0; k < t->n; k++) {
		const struct run_trial *x = &t->trials[k];

		if (run_trial_is_timed(x) && (!best || x->median_ns < best->median_ns) &&
		    !is_listed(t, x, list, n))
			best = x;
	}
	return best;
}

size_t run_top(const struct run_table *t, const struct run_finals *f, struct run_place *out,
	       size_t most)
{
	static const enum standing order[] = {STANDING_TIED, STANDING_UNDECIDED, STANDING_SLOWER};
	size_t n = 0;

	/* Finalists come before all others: they were compared in the same rounds. */
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		n = add_finals(t, f, order[i], out, n, most);

	while (n < most) {
		const struct run_trial *x = next_fastest(t, out, n);

		if (!x)
			break;
		out[n++] = (struct run_place){t->implementations[x->implementation].name,
					      x->config_key,
					      x,
					      NULL,
					      x->median_ns,
					      x->low_ns,
					      x->high_ns};
	}
	return n;
}

double *run_finals_take_times(const struct run_finals *f, const struct run_table *t)
{
	double *times = calloc(t->n + 1, sizeof *times);

	for (size_t k = 0; times && k < t->n; k++)
		times[k] = run_trial_is_timed(&t->trials[k]) ? t->trials[k].median_ns : NAN;
	for (size_t i = 0; times && f && i < f->n; i++) {
		const struct db_run_final *x = &f->list[i];
		const struct run_trial *trial = run_table_find(t, x->implementation, x->config_key);

		if (trial && run_trial_is_timed(trial))
			times[trial - t->trials] = x->median_ns;
	}
	return times;
}
