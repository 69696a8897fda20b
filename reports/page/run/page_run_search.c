/* The view of the search: configurations in order, with the best so far. */
#include <math.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_figure.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"

/* Time of a trial that counts in caption, table and picture: verified and measured to its end.
 * Others are infinite; the picture has only failures of them. */
static double time_of(const struct run_trial *t)
{
	return run_trial_is_verified(t) ? t->median_ns : INFINITY;
}

static const struct picture_tuning *fill_tuning(const struct page_run *r)
{
	struct picture_tuning *d = page_alloc(r->p, sizeof *d);
	double *values = page_alloc(r->p, (r->table.n + 1) * sizeof *values);
	const bool named =
		r->table.n <= PICTURE_TITLES; /* titles of more would be most of the page */
	const char **names = page_alloc(r->p, (r->table.n + 1) * sizeof *names);

	if (!d || !values || !names)
		return NULL;
	for (size_t k = 0; k < r->table.n; k++) {
		names[k] = named ? page_print(r->p, "%s", r->table.trials[k].config_key) : NULL;
		/* The picture takes NaN for a failure, which it draws at its foot. */
		values[k] = result_status_failed(r->table.trials[k].status)
				    ? NAN
				    : time_of(&r->table.trials[k]) * 1e-9;
	}
	*d = (struct picture_tuning){values, r->table.n, named ? names : NULL};
	return d;
}

static const struct html_column step_columns[] = {{"number", NULL, true},
						  {"best so far", NULL, true},
						  {"implementation", NULL, false},
						  {"configuration", NULL, false},
						  {NULL, NULL, false}};

static void write_steps(struct page_run *r)
{
	struct html_table t = {.out = r->p->out,
			       .id = page_print(r->p, "%s_steps", r->id),
			       .caption = "Configurations that were the best so far",
			       .columns = step_columns,
			       .data = true};
	double best = INFINITY;

	html_table_begin(&t);
	for (size_t k = 0; k < r->table.n; k++) {
		const struct run_trial *x = &r->table.trials[k];

		if (!(time_of(x) < best))
			continue;
		best = time_of(x);
		if (!html_table_row(&t))
			continue;
		html_cell_count(&t, (long long)k + 1);
		html_cell_time(&t, best);
		html_cell_name(&t, r->table.implementations[x->implementation].name, 60);
		html_cell_begin(&t);
		html_name(t.out, x->config_key, PAGE_RUN_CONFIG);
		if (x->status == RESULT_UNDECIDED)
			buf_add_str(t.out, "<small>undecided</small>");
		html_cell_end(&t);
	}
	html_table_end(&t);
}

static const struct run_trial *find_lowest(const struct run_table *t)
{
	const struct run_trial *lowest = NULL;

	for (size_t k = 0; k < t->n; k++)
		if (run_trial_is_verified(&t->trials[k]) &&
		    (!lowest || t->trials[k].median_ns < lowest->median_ns))
			lowest = &t->trials[k];
	return lowest;
}

static const char *describe_search(const struct page_run *r, const struct run_trial *lowest)
{
	char text[NUMBER_TEXT_SIZE];
	size_t failed = 0, slow = 0, number = (size_t)(lowest - r->table.trials) + 1;

	for (size_t k = 0; k < r->table.n; k++) {
		failed += result_status_failed(r->table.trials[k].status);
		slow += r->table.trials[k].status == RESULT_SLOW;
	}
	return page_print(r->p,
			  "Lowest time of the search %s%s, number %zu of %zu configurations in the "
			  "order in which they were tried.%s%s",
			  number_print_time(lowest->median_ns, text),
			  lowest->status == RESULT_UNDECIDED ? " (undecided)" : "", number,
			  r->table.n,
			  failed ? page_print(r->p, " At the foot: %zu that failed.", failed) : "",
			  slow ? page_print(r->p, " Not shown: %zu dropped early.", slow) : "");
}

static void write_statuses(const struct page_run *r)
{
	size_t counts[RESULT_STATUS_COUNT] = {0}, written = 0;

	for (size_t k = 0; k < r->table.n; k++)
		counts[r->table.trials[k].status]++;
	buf_add_str(r->p->out, "<p>");
	for (size_t s = 0; s < RESULT_STATUS_COUNT; s++)
		if (counts[s])
			buf_print(r->p->out, "%s%zu %s (%s)", written++ ? ", " : "", counts[s],
				  result_status_name((enum result_status)s),
				  result_status_meaning((enum result_status)s));
	buf_add_str(r->p->out, ".</p>\n");
}

enum asc_status page_run_search(struct page_run *r, struct asc_err *e)
{
	const struct run_trial *lowest = find_lowest(&r->table);

	page_run_heading(r, "Search");
	write_statuses(r);
	if (!lowest) {
		buf_add_str(r->p->out, "<p class=\"note\">No configuration passed, so there is no "
				       "best so far.</p>\n");
		return ASC_OK;
	}
	const struct picture_tuning *d = fill_tuning(r);
	if (!d)
		return asc_err_nomem(e);
	const struct picture picture = {.kind = PICTURE_TUNING,
					.data.tuning = d,
					.id = page_print(r->p, "%s_search", r->id),
					.title = "Configurations in order, best so far",
					.description = describe_search(r, lowest)};

	page_figure_begin(r->p, &picture, picture.description);
	write_steps(r);
	page_figure_end(r->p);
	return ASC_OK;
}
