#include "tuner/device/cuda_flush.h"

static const size_t UNKNOWN_BYTES = (size_t)64 << 20;

static enum asc_status prepare(struct device *d, struct asc_err *e)
{
	const struct facts *f = &d->info.facts;

	d->cold_bytes =
		f->known[FACT_L2_BYTES] ? 2 * (size_t)f->value[FACT_L2_BYTES] : UNKNOWN_BYTES;
	return cuda_check(d, d->cu->alloc(&d->cold, d->cold_bytes), "cuMemAlloc", e);
}

enum asc_status cuda_flush_queue(struct device *d, struct asc_err *e)
{
	if (!d->cold && prepare(d, e))
		return asc_err_wrap(e, "memory to flush the cache with");
	return cuda_check(d, d->cu->set(d->cold, ++d->cold_byte, d->cold_bytes, d->stream),
			  "cuMemsetD8Async", e);
}

void cuda_flush_free(struct device *d)
{
	if (d->cold)
		(void)d->cu->free(d->cold);
	d->cold = 0;
}
