/* The clock "activity": CUPTI's records of kernels. */
#include "tuner/device/cuda_clock_ops.h"
#include "tuner/device/cupti.h"

static enum asc_status activity_open(struct device *d, struct asc_err *e)
{
	const struct cupti_kernel *records;
	size_t n;

	(void)d;
	if (cupti_start(e) || cupti_take(&records, &n, e))
		return asc_err_wrap(e, "the clock \"activity\" (ASCTUNE_CUDA_CLOCK=event takes "
				       "another)");
	return ASC_OK;
}

static void activity_close(struct device *d)
{
	(void)d;
}

static enum asc_status activity_mark(struct device *d, size_t launch, struct asc_err *e)
{
	(void)d;
	(void)launch;
	(void)e;
	return ASC_OK;
}

static enum asc_status add_records(const struct cupti_kernel *records, size_t each, int64_t *time,
				   struct asc_err *e)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < each; i++) {
		if (records[i].end == 0)
			return asc_err_set(e, ASC_IO, "CUPTI did not time a launch");
		start = records[i].start < start ? records[i].start : start;
		end = records[i].end > end ? records[i].end : end;
	}
	*time = (int64_t)(end - start);
	return ASC_OK;
}

static enum asc_status activity_forget(struct device *d, struct asc_err *e)
{
	const struct cupti_kernel *records;
	size_t n;

	d->unclocked = 0;
	return cupti_take(&records, &n, e);
}

/* Kernels of our own, launched since the last reading, come first. */
static enum asc_status activity_read(struct device *d, size_t n, int64_t *times, struct asc_err *e)
{
	const struct cupti_kernel *records;
	size_t all, own = d->unclocked;

	if (cupti_take(&records, &all, e))
		return e->status;
	d->unclocked = 0;
	if (all <= own || (all - own) % n != 0)
		return asc_err_set(e, ASC_IO, "CUPTI has %zu records of %zu launches",
				   all < own ? 0 : all - own, n);
	size_t each = (all - own) / n;
	for (size_t i = 0; i < n; i++)
		if (add_records(records + own + i * each, each, &times[i], e))
			return e->status;
	return ASC_OK;
}

const struct clock_ops clock_activity = {
	.name = "activity",
	.most = MAX_QUEUED,
	.check = cupti_check,
	.open = activity_open,
	.close = activity_close,
	.before = activity_mark,
	.after = activity_mark,
	.forget = activity_forget,
	.read = activity_read,
};
