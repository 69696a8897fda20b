#include <string.h>

#include "tuner/device/cuda_buffer.h"

/* Stages are used by turns: the host fills one while the device copies the other. */

static size_t piece(size_t bytes, size_t at)
{
	return bytes - at < CUDA_STAGE_BYTES ? bytes - at : CUDA_STAGE_BYTES;
}

enum asc_status cuda_copy_in(struct device *d, cuda_address to, const void *from, size_t bytes,
			     struct asc_err *e)
{
	size_t turn = 0;

	for (size_t at = 0; at < bytes; at += CUDA_STAGE_BYTES, turn++) {
		void *stage = d->stages[turn % CUDA_STAGES];
		size_t n = piece(bytes, at);

		if (turn > 0 && turn % CUDA_STAGES == 0 && cuda_wait(d, "a copy to the device", e))
			return e->status;
		memcpy(stage, (const char *)from + at, n);
		if (cuda_check(d, d->cu->put(to + at, stage, n, d->stream), "cuMemcpyHtoDAsync", e))
			return e->status;
	}
	return cuda_wait(d, "a copy to the device", e);
}

enum asc_status cuda_copy_out(struct device *d, cuda_address from, void *to, size_t bytes,
			      struct asc_err *e)
{
	for (size_t at = 0; at < bytes; at += CUDA_STAGES * (size_t)CUDA_STAGE_BYTES) {
		size_t end = at + CUDA_STAGES * (size_t)CUDA_STAGE_BYTES;

		for (size_t k = at, i = 0; k < bytes && k < end; k += CUDA_STAGE_BYTES, i++)
			if (cuda_check(
				    d,
				    d->cu->get(d->stages[i], from + k, piece(bytes, k), d->stream),
				    "cuMemcpyDtoHAsync", e))
				return e->status;
		if (cuda_wait(d, "a copy from the device", e))
			return e->status;
		for (size_t k = at, i = 0; k < bytes && k < end; k += CUDA_STAGE_BYTES, i++)
			memcpy((char *)to + k, d->stages[i], piece(bytes, k));
	}
	return ASC_OK;
}
