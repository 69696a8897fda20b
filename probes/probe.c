#include "probes/probe.h"

#include <string.h>

#include "probes/probes.h"

const struct probe_ops *const probe_list[] = {&probe_rusage, NULL};

const struct probe_ops *probe_find(const char *name)
{
	for (size_t i = 0; probe_list[i]; i++)
		if (strcmp(probe_list[i]->name, name) == 0)
			return probe_list[i];
	return NULL;
}
