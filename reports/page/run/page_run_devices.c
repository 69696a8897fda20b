/* Devices that tuned the same problem, beside each other. */
#include <inttypes.h>
#include <string.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/run/page_run.h"
#include "reports/page/run/page_view.h"
#include "reports/results/run_compare.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"

enum { MAX_COMPARED = 4 };

static bool tuned_the_same(const struct db_run_view *a, const struct db_run_view *b)
{
	return !a->simulated && !b->simulated && str_is_same(a->workload, b->workload) &&
	       str_is_same(a->problem, b->problem) && str_is_same(a->problem_key, b->problem_key) &&
	       str_is_same(a->cache_policy, b->cache_policy) &&
	       !(str_is_same(a->device_model, b->device_model) &&
		 str_is_same(a->device_kind, b->device_kind) &&
		 str_is_same(a->device_machine, b->device_machine));
}

/* Writes the time of each device's fastest trial on the other device: both without finals. */
static void write_cross(struct page *p, const struct run_table *from, const struct run_table *to,
			const char *here, const char *there)
{
	const struct run_trial *best = run_table_fastest(from), *own = run_table_fastest(to);
	char text[NUMBER_TEXT_SIZE];

	if (!best || !own)
		return;
	const struct run_trial *other = run_table_find(
		to, from->implementations[best->implementation].name, best->config_key);

	buf_add_str(p->out, "<p>");
	html_name(p->out, here, 80);
	buf_add_str(p->out, "'s fastest configuration of the search ");
	if (!other)
		buf_add_str(p->out, "was not tried on ");
	else if (!run_trial_is_timed(other))
		buf_add_str(p->out, "did not pass on ");
	else
		buf_print(p->out, "loses %s %% on ",
			  number_print(100 * (other->median_ns / own->median_ns - 1), 0, text));
	html_name(p->out, there, 80);
	buf_add_str(p->out, ".</p>\n");
}

static enum asc_status write_tables(struct page *p, const struct run_table *a,
				    const struct run_table *b, const struct db_run_view *rows[2],
				    struct asc_err *e)
{
	const char *first = page_run_device(rows[0]), *second = page_run_device(rows[1]);
	const char *name = page_print(p, "%s|%s|%s|%s", page_run_name(p, rows[0]),
				      rows[0]->device_machine ? rows[0]->device_machine : "",
				      page_run_name(p, rows[1]),
				      rows[1]->device_machine ? rows[1]->device_machine : "");
	struct run_comparison c;

	write_cross(p, a, b, first, second);
	write_cross(p, b, a, second, first);
	if (run_compare(a, b, &c, e))
		return e->status;
	page_comparison_write(p, page_print(p, "d_%016" PRIx64, hash_bytes(name, strlen(name))), &c,
			      first, second);
	run_comparison_fini(&c);
	return ASC_OK;
}

static enum asc_status write_pair(struct page *p, const struct db_run_view *a,
				  const struct db_run_view *b, struct asc_err *e)
{
	const struct db_run_view *rows[2] = {a, b};
	struct run_table first = {0}, second = {0};

	buf_add_str(p->out, "<h4>");
	html_name(p->out, page_run_name(p, a), 160);
	buf_add_str(p->out, " and ");
	html_name(p->out, page_run_device(b), 80);
	buf_add_str(p->out, "</h4>\n");
	enum asc_status status = run_table_read(p->db, &a->range, PAGE_RUN_TRIALS, &first, e);
	if (status == ASC_OK)
		status = run_table_read(p->db, &b->range, PAGE_RUN_TRIALS, &second, e);
	if (status == ASC_OK)
		status = write_tables(p, &first, &second, rows, e);
	run_table_fini(&first);
	run_table_fini(&second);
	return page_run_forgive(p, status, e);
}

enum asc_status page_runs_devices(struct page *p, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t found = 0;

	for (size_t i = 0; i < p->n_kernels && status == ASC_OK; i++)
		for (size_t j = i + 1; j < p->n_kernels && status == ASC_OK; j++) {
			if (!tuned_the_same(&p->kernels[i].run, &p->kernels[j].run))
				continue;
			if (found == 0)
				buf_add_str(p->out, "<h3>Devices beside each other</h3>\n");
			if (found++ < MAX_COMPARED)
				status = write_pair(p, &p->kernels[i].run, &p->kernels[j].run, e);
		}
	if (found > MAX_COMPARED)
		buf_print(p->out, "<p class=\"note\">%zu more pairs are left out.</p>\n",
			  found - MAX_COMPARED);
	return status;
}
