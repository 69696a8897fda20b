#include "tuner/device/cuda/cuda_device.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/device/cuda/cuda_clock.h"
#include "tuner/device/libs/nvrtc_library.h"

/* Memory to write where the size of L2 is unknown. */
static const size_t COLD_BYTES = (size_t)64 << 20;

enum asc_status cuda_check(struct device *d, unsigned rc, const char *what, struct asc_err *e)
{
	if (rc == 0)
		return ASC_OK;
	/* Before anything waits for the device: a held stream would never let it end. */
	cuda_clock_release(d);
	/* An error that stays is the answer to every later call. Want of memory never does, and
	 * is common: it spares the wait. */
	if (rc != CUDA_ERROR_NOMEM && d->cu->synchronize() != 0)
		d->lost = true;
	return cuda_driver_check(d->cu, rc, what, e);
}

enum asc_status cuda_wait(struct device *d, const char *what, struct asc_err *e)
{
	return cuda_check(d, d->cu->stream_synchronize(d->stream), what, e);
}

enum asc_status cuda_wait_all(struct device *d, const char *what, struct asc_err *e)
{
	return cuda_check(d, d->cu->synchronize(), what, e);
}

enum asc_status cuda_alloc(struct device *d, size_t bytes, cuda_address *out, struct asc_err *e)
{
	const size_t pages = bytes / CUDA_PAGE_BYTES + (bytes % CUDA_PAGE_BYTES > 0);

	return cuda_check(d, d->cu->alloc(out, pages * CUDA_PAGE_BYTES), "cuMemAlloc", e);
}

/* ---- the cache ---- */

void cuda_flush_open(struct device *d)
{
	d->persists =
		d->cu->persisting_reset && d->cu->limit_set(CUDA_LIMIT_PERSISTING_BYTES, 0) == 0;
}

void cuda_flush_begin(struct device *d)
{
	d->persists = d->persists && d->cu->persisting_reset() == 0;
}

enum asc_status cuda_flush_queue(struct device *d, struct asc_err *e)
{
	const struct facts *f = &d->info.facts;

	if (!d->cold) {
		/* Twice the cache: lines are not dropped in the order in which they came. */
		d->cold_bytes =
			f->known[FACT_L2_BYTES] ? 2 * (size_t)f->value[FACT_L2_BYTES] : COLD_BYTES;
		if (cuda_alloc(d, d->cold_bytes, &d->cold, e))
			return asc_err_wrap(e, "memory to flush the cache with");
	}
	/* Another byte each time: a write of what is there already might be saved. */
	return cuda_check(d, d->cu->set(d->cold, ++d->cold_byte, d->cold_bytes, d->stream),
			  "cuMemsetD8Async", e);
}

/* ---- kernels of our own ---- */

static enum asc_status take_image(const struct nvrtc *n, nvrtc_program program, struct buf *out,
				  struct asc_err *e)
{
	size_t bytes = 0;

	(void)n->get_cubin_size(program, &bytes);
	char *image = malloc(bytes + 1);
	if (!image)
		return asc_err_nomem(e);
	if (n->get_cubin(program, image) == NVRTC_SUCCESS)
		buf_add(out, image, bytes);
	free(image);
	return buf_check(out, e);
}

enum asc_status cuda_compile(const char *arch, const char *source, struct buf *image,
			     struct asc_err *e)
{
	char target[96];
	const char *options[] = {target, "-fmad=false"};
	const struct nvrtc *n;
	nvrtc_program program = NULL;

	if (nvrtc_open(&n, e))
		return e->status;
	/* Products and sums stay two operations: a comparison has to round as the host does. */
	(void)snprintf(target, sizeof target, "-arch=%s", arch);
	int rc = n->create_program(&program, source, "own.cu", 0, NULL, NULL);
	if (rc == NVRTC_SUCCESS)
		rc = n->compile_program(program, 2, options);
	enum asc_status s = rc == NVRTC_SUCCESS ? take_image(n, program, image, e)
						: asc_err_set(e, ASC_ABSENT,
							      "NVRTC refuses our own kernels: %s",
							      n->get_error_string(rc));
	if (program)
		(void)n->destroy_program(&program);
	return s;
}
