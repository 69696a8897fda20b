#include "reports/tables/exporter.h"

#include <stddef.h>
#include <string.h>

#include "tuner/base/log.h"

/* Reasons that are printed: a table of many rows has the same few again and again, and the evidence
 * has all of them. */
enum { MAX_SAID = 10 };

const char *exporter_needs_name(enum export_needs needs)
{
	static const char *const names[] = {"the best of each problem", "rules for a library",
					    "trials", "the spaces of a workload"};

	return names[needs];
}

const struct export_option *exporter_find_option(const struct exporter_ops *x, const char *name)
{
	for (const struct export_option *o = x->options; o && o->name; o++)
		if (strcmp(o->name, name) == 0)
			return o;
	return NULL;
}

const char *exporter_find_setting(const struct export_request *r, const char *name)
{
	for (size_t i = 0; i < r->n_settings; i++)
		if (strcmp(r->settings[i].name, name) == 0)
			return r->settings[i].value;
	return NULL;
}

enum asc_status exporter_say_left_out(const struct export_request *r, size_t made,
				      struct asc_err *e)
{
	const struct dispatch *t = r->table;
	size_t said = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct dispatch_row *row = &t->rows[i];

		if (row->said && said++ < MAX_SAID)
			log_print(LOG_WARN, "%s/%s: %s on %s: left out: %s", row->result.workload,
				  row->result.problem, row->result.implementation,
				  row->result.device_model ? row->result.device_model
							   : "an unknown device",
				  row->left_out);
	}
	if (said > MAX_SAID)
		log_print(LOG_WARN, "%zu more are left out", said - MAX_SAID);
	if (made == 0 && said == 0 && r->terms.problem)
		return asc_err_set(e, ASC_NOTFOUND, "nothing to export: no result is of problem %s",
				   r->terms.problem);
	if (made == 0)
		return asc_err_set(e, ASC_NOTFOUND,
				   "nothing to export: all %zu results are left out", t->n_rows);
	return ASC_OK;
}

enum asc_status exporter_add_rules(const struct export_request *r,
				   const struct dispatch_terms *terms, struct asc_err *e)
{
	if (r->table->n_rows == 0)
		return exporter_fail_empty(r, e);
	/* An earlier exporter of the same command may have made them. */
	if (r->table->n_rules == 0 && dispatch_add_rules(r->table, terms, e))
		return e->status;
	return exporter_say_left_out(r, r->table->n_rules, e);
}

enum asc_status exporter_fail_empty(const struct export_request *r, struct asc_err *e)
{
	return asc_err_set(e, ASC_NOTFOUND, "nothing to export: the database holds no %s results",
			   r->simulated ? "imported or simulated" : "measured");
}
