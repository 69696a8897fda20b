#include "tuner/base/strides.h"

void strides_set(const int64_t *shape, size_t rank, int64_t *strides)
{
	int64_t stride = 1;

	for (size_t i = rank; i-- > 0;) {
		strides[i] = stride;
		/* Too many elements are found where they are counted. */
		(void)__builtin_mul_overflow(stride, shape[i], &stride);
	}
}

bool strides_overlap(const int64_t *shape, const int64_t *strides, size_t rank)
{
	uint64_t taken = 0; /* a bit for each dimension */
	int64_t reach = 0, step;

	for (size_t n = 0; n < rank; n++) {
		size_t next = rank;

		for (size_t i = 0; i < rank; i++)
			if (!(taken >> i & 1) && (next == rank || strides[i] < strides[next]))
				next = i;
		taken |= UINT64_C(1) << next;
		if (shape[next] > 1 && strides[next] <= reach)
			return true;
		/* Strides of a record are any numbers. */
		if (__builtin_mul_overflow(shape[next] - 1, strides[next], &step) ||
		    __builtin_add_overflow(reach, step, &reach))
			return true;
	}
	return false;
}
