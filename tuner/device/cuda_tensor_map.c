#include "tuner/device/cuda_tensor_map.h"

#include <string.h>

enum { MAX_RANK = 5, MAX_BOX = 256, ROW_BYTES = 16 };

static const int types[DTYPE_COUNT] = {
	[DTYPE_F64] = CUDA_MAP_F64,   [DTYPE_F32] = CUDA_MAP_F32, [DTYPE_F16] = CUDA_MAP_F16,
	[DTYPE_BF16] = CUDA_MAP_BF16, [DTYPE_I64] = CUDA_MAP_I64, [DTYPE_I32] = CUDA_MAP_I32,
	[DTYPE_I16] = CUDA_MAP_U16,   [DTYPE_I8] = CUDA_MAP_U8,   [DTYPE_U64] = CUDA_MAP_U64,
	[DTYPE_U32] = CUDA_MAP_U32,   [DTYPE_U16] = CUDA_MAP_U16, [DTYPE_U8] = CUDA_MAP_U8,
	[DTYPE_BOOL] = CUDA_MAP_U8};

/* In CUDA's order: the innermost dimension first. */
struct layout {
	uint64_t dims[MAX_RANK], strides[MAX_RANK]; /* strides[i]: bytes from one to the next
						       along dims[i + 1] */
	uint32_t box[MAX_RANK], steps[MAX_RANK];
};

static enum asc_status check_box(const struct bound_argument *a, size_t i, struct asc_err *e)
{
	if (a->box[i] < 1 || a->box[i] > MAX_BOX)
		return asc_err_set(e, ASC_LIMIT,
				   "a tensor map's box has side %lld, expected 1 to %d",
				   (long long)a->box[i], MAX_BOX);
	return ASC_OK;
}

static enum asc_status lay_out(const struct bound_argument *a, struct layout *out,
			       struct asc_err *e)
{
	uint64_t stride = dtype_bytes(a->type);

	if (a->rank < 1 || a->rank > MAX_RANK)
		return asc_err_set(e, ASC_LIMIT,
				   "a tensor map has %zu dimensions, expected 1 to %d", a->rank,
				   MAX_RANK);
	for (size_t i = 0; i < a->rank; i++) {
		size_t from = a->rank - 1 - i;

		if (check_box(a, from, e))
			return e->status;
		out->dims[i] = (uint64_t)a->shape[from];
		out->box[i] = (uint32_t)a->box[from];
		out->steps[i] = 1;
		stride *= out->dims[i];
		out->strides[i] = stride;
		if (i + 1 < a->rank && stride % ROW_BYTES != 0)
			return asc_err_set(e, ASC_LIMIT,
					   "a tensor map needs rows of a multiple of %d bytes, not "
					   "of %llu",
					   ROW_BYTES, (unsigned long long)stride);
	}
	return ASC_OK;
}

static unsigned find_swizzle(const char *name)
{
	static const struct {
		const char *name;
		unsigned value;
	} known[] = {{"32B", CUDA_MAP_SWIZZLE_32B},
		     {"64B", CUDA_MAP_SWIZZLE_64B},
		     {"128B", CUDA_MAP_SWIZZLE_128B}};

	for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].value;
	return CUDA_MAP_SWIZZLE_NONE;
}

enum asc_status cuda_tensor_map_make(struct device *d, const struct bound_argument *a,
				     cuda_address at, struct cuda_tensor_map *out,
				     struct asc_err *e)
{
	struct layout l;
	void *address;
	struct CUtensorMap_st *map = (struct CUtensorMap_st *)(void *)out;

	if (!d->cu->tensor_map)
		return asc_err_set(e, ASC_ABSENT, "this driver makes no tensor maps");
	if (lay_out(a, &l, e))
		return e->status;
	memcpy(&address, &at, sizeof address);
	unsigned rc = d->cu->tensor_map(map, (unsigned)types[a->type], (uint32_t)a->rank, address,
					l.dims, l.strides, l.box, l.steps, CUDA_MAP_NOT_INTERLEAVED,
					find_swizzle(a->swizzle), CUDA_MAP_PROMOTE_256B,
					CUDA_MAP_ZEROS_OUTSIDE);

	return cuda_check(d, rc, "cuTensorMapEncodeTiled", e);
}
