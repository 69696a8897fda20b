#include "tuner/device/npu/npu_device.h"

#include "tuner/device/libs/acl_errors.h"

enum { WAIT_MS = 600000 }; /* many times what a batch takes: a kernel that hangs is to end */

static const size_t L2_BYTES = (size_t)192 << 20; /* where it is unknown: the largest known */

enum asc_status npu_check(struct device *d, int rc, const char *what, struct asc_err *e)
{
	/* Noted here, where every call passes: nobody can forget to ask. */
	d->lost |= acl_error_is_lasting(rc);
	return acl_check(d->acl, rc, what, e);
}

enum asc_status npu_wait(struct device *d, const char *what, struct asc_err *e)
{
	const struct acl_runtime *acl = d->acl;

	return npu_check(d,
			 acl->stream_synchronize_within
				 ? acl->stream_synchronize_within(d->stream, WAIT_MS)
				 : acl->stream_synchronize(d->stream),
			 what, e);
}

enum asc_status npu_wait_all(struct device *d, const char *what, struct asc_err *e)
{
	return npu_wait(d, what, e) ? e->status
				    : npu_check(d, d->acl->device_synchronize(), what, e);
}

enum asc_status npu_set(struct device *d, void *at, int byte, size_t n, struct asc_err *e)
{
	if (n == 0)
		return ASC_OK;
	return npu_check(d, d->acl->set(at, n, byte, n, d->stream), "aclrtMemsetAsync", e);
}

/* ---- the cache ---- */

enum asc_status npu_flush_queue(struct device *d, struct asc_err *e)
{
	const struct facts *f = &d->info.facts;

	if (!d->cold) {
		/* Twice the cache: lines are not dropped in the order in which they came. */
		d->cold_bytes =
			2 * (f->known[FACT_L2_BYTES] ? (size_t)f->value[FACT_L2_BYTES] : L2_BYTES);
		if (npu_check(d, d->acl->alloc(&d->cold, d->cold_bytes, NPU_ALLOC_HUGE_FIRST),
			      "aclrtMalloc", e))
			return asc_err_wrap(e, "memory to flush the cache with");
	}
	/* Another byte each time: a write of what is there already might be saved. */
	return npu_set(d, d->cold, ++d->cold_byte, d->cold_bytes, e);
}
