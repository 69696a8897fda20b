/* The probe `rusage`: figures that the kernel counts for this process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "probes/probe.h"
#include "tuner/result/result.h"

struct probe {
	struct rusage before;
};

static const struct probe_metric metrics[] = {
	{"minor_faults", "1", "pages made present without reading a disk"},
	{"major_faults", "1", "pages that had to be read from a disk"},
	{"voluntary_switches", "1", "times that a thread waited"},
	{"involuntary_switches", "1", "times that a thread was made to wait"},
	{0},
};

/* Place of metrics[i] in struct rusage. */
static const size_t offsets[] = {
	offsetof(struct rusage, ru_minflt),
	offsetof(struct rusage, ru_majflt),
	offsetof(struct rusage, ru_nvcsw),
	offsetof(struct rusage, ru_nivcsw),
};

static long counter(const struct rusage *u, size_t i)
{
	long value;

	memcpy(&value, (const char *)u + offsets[i], sizeof value);
	return value;
}

static bool rusage_check(const char *device, char *reason, size_t size)
{
	(void)device;
	(void)reason;
	(void)size;
	return true;
}

static enum asc_status rusage_open(const struct device_info *device, struct probe **out,
				   struct asc_err *e)
{
	(void)device;
	*out = calloc(1, sizeof **out);
	return *out ? ASC_OK : asc_err_nomem(e);
}

static void rusage_close(struct probe *p)
{
	free(p);
}

static enum asc_status rusage_get(struct rusage *out, struct asc_err *e)
{
	return getrusage(RUSAGE_SELF, out) == 0
		       ? ASC_OK
		       : asc_err_set(e, ASC_IO, "getrusage: %s", strerror(errno));
}

static enum asc_status rusage_begin(struct probe *p, struct asc_err *e)
{
	return rusage_get(&p->before, e);
}

static enum asc_status rusage_end(struct probe *p, struct result *out, struct asc_err *e)
{
	struct rusage after;
	enum asc_status s = rusage_get(&after, e);

	for (size_t i = 0; metrics[i].name && s == ASC_OK; i++)
		s = result_add_metric(out, "rusage", metrics[i].name,
				      (double)(counter(&after, i) - counter(&p->before, i)),
				      metrics[i].unit, e);
	return s;
}

const struct probe_ops probe_rusage = {
	.name = "rusage",
	.summary = "page faults and context switches of the measuring process",
	.metrics = metrics,
	.check = rusage_check,
	.open = rusage_open,
	.close = rusage_close,
	.begin = rusage_begin,
	.end = rusage_end,
};
