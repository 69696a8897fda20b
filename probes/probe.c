#include "probes/probe.h"

#include <string.h>

const struct probe_ops *const probe_list[] = {&probe_perf_event, &probe_nvml, &probe_cupti,
					      &probe_energy, NULL};

const struct probe_ops *probe_find(const char *name)
{
	for (size_t i = 0; probe_list[i]; i++)
		if (strcmp(probe_list[i]->name, name) == 0)
			return probe_list[i];
	return NULL;
}

bool probe_serves(const struct probe_ops *ops, const char *device)
{
	return !ops->device || strcmp(ops->device, device) == 0;
}

bool probe_has(const struct probe_ops *ops, const char *device, size_t metric, char *reason,
	       size_t size)
{
	if (!ops->check(device, reason, size))
		return false;
	return !ops->has || ops->has(device, metric, reason, size);
}
