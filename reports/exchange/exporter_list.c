#include "reports/exchange/exporter_list.h"

#include <stddef.h>
#include <string.h>

const struct exporter_ops *const exporter_list[] = {&best_json_exporter,   &csv_exporter,
						    &t1_exporter,          &t4_exporter,
						    &infiniops_exporter,   &c_header_exporter,
						    &trace_exporter,       &vllm_exporter,
						    &sglang_exporter,      &fla_exporter,
						    &ninetoothed_exporter, &triton_exporter,
						    &flaggems_exporter,    NULL};

const struct exporter_ops *exporter_find(const char *name)
{
	for (const struct exporter_ops *const *x = exporter_list; *x; x++)
		if (strcmp((*x)->name, name) == 0)
			return *x;
	return NULL;
}
