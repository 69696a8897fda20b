#include "reports/export/exporter.h"

#include <stddef.h>
#include <string.h>

const struct exporter_ops *const exporter_list[] = {&best_json_exporter, &csv_exporter,
						    &t1_exporter, &t4_exporter, NULL};

const struct exporter_ops *exporter_find(const char *name)
{
	for (const struct exporter_ops *const *x = exporter_list; *x; x++)
		if (strcmp((*x)->name, name) == 0)
			return *x;
	return NULL;
}

enum asc_status exporter_fail_empty(const struct export_request *r, struct asc_err *e)
{
	return asc_err_set(e, ASC_NOTFOUND, "nothing to export: the database holds no %s results",
			   r->simulated ? "imported or simulated" : "measured");
}
