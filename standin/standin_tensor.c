#include "standin/standin_tensor.h"

#include <string.h>

#include "standin/standin_memory.h"
#include "tuner/device/libs/aclnn_abi.h"

static const struct {
	int number;
	enum dtype type;
} types[] = {
	{ACLNN_FLOAT, DTYPE_F32},  {ACLNN_FLOAT16, DTYPE_F16}, {ACLNN_INT8, DTYPE_I8},
	{ACLNN_INT32, DTYPE_I32},  {ACLNN_UINT8, DTYPE_U8},    {ACLNN_INT16, DTYPE_I16},
	{ACLNN_UINT16, DTYPE_U16}, {ACLNN_UINT32, DTYPE_U32},  {ACLNN_INT64, DTYPE_I64},
	{ACLNN_UINT64, DTYPE_U64}, {ACLNN_DOUBLE, DTYPE_F64},  {ACLNN_BOOL, DTYPE_BOOL},
	{ACLNN_BF16, DTYPE_BF16},
};

bool standin_dtype_find(int acl_type, enum dtype *out)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].number == acl_type) {
			*out = types[i].type;
			return true;
		}
	return false;
}

int64_t standin_view_count(const struct standin_view *v)
{
	int64_t n = 1;

	for (size_t i = 0; i < v->rank; i++)
		n *= v->dims[i];
	return n;
}

bool standin_view_same(const struct standin_view *a, const struct standin_view *b)
{
	return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

double standin_view_bytes(const struct standin_view *v)
{
	double n = (double)dtype_bytes(v->type);

	for (size_t i = 0; i < v->rank; i++)
		n *= v->strides[i] ? (double)v->dims[i] : 1;
	return n;
}

bool standin_view_broadcast(const struct standin_view *v, const struct standin_view *to,
			    struct standin_view *out)
{
	const size_t before = to->rank - v->rank;

	if (v->rank > to->rank)
		return false;
	*out = *v;
	out->rank = to->rank;
	memcpy(out->dims, to->dims, sizeof out->dims);
	for (size_t i = 0; i < to->rank; i++) {
		const bool repeats = i < before || v->dims[i - before] == 1;

		if (!repeats && v->dims[i - before] != to->dims[i])
			return false;
		out->strides[i] = repeats ? 0 : v->strides[i - before];
	}
	return true;
}

/* Offset of element `i`, counted in row-major order. */
static int64_t place(const struct standin_view *v, int64_t i)
{
	int64_t at = v->offset;

	for (size_t k = v->rank; k > 0; k--) {
		at += i % v->dims[k - 1] * v->strides[k - 1];
		i /= v->dims[k - 1];
	}
	return at;
}

void *standin_view_at(const struct standin_view *v)
{
	const int64_t n = standin_view_count(v), bytes = (int64_t)dtype_bytes(v->type);
	int64_t last = v->offset;

	for (size_t k = 0; k < v->rank; k++)
		last += (v->dims[k] - 1) * v->strides[k];
	return n > 0 && last >= 0 ? standin_memory_at(v->data, (size_t)((last + 1) * bytes)) : NULL;
}

/* Elements that lie side by side: a row, or one where the last dimension has gaps. */
static int64_t run_of(const struct standin_view *v)
{
	return v->rank > 0 && v->strides[v->rank - 1] == 1 ? v->dims[v->rank - 1] : 1;
}

void standin_view_read(const struct standin_view *v, const void *at, double *out)
{
	const int64_t bytes = (int64_t)dtype_bytes(v->type), n = standin_view_count(v),
		      run = run_of(v);

	for (int64_t i = 0; i < n; i += run)
		dtype_to_double(v->type, (const char *)at + place(v, i) * bytes, out + i,
				(size_t)run);
}

void standin_view_write(const struct standin_view *v, void *at, const double *in)
{
	const int64_t bytes = (int64_t)dtype_bytes(v->type), n = standin_view_count(v),
		      run = run_of(v);

	for (int64_t i = 0; i < n; i += run)
		dtype_from_double(v->type, in + i, (char *)at + place(v, i) * bytes, (size_t)run);
}

void standin_view_move(const struct standin_view *from, const void *from_at,
		       const struct standin_view *to, void *to_at)
{
	const int64_t bytes = (int64_t)dtype_bytes(from->type), n = standin_view_count(from),
		      a = run_of(from), b = run_of(to), run = a < b ? a : b;

	/* The shorter run divides the longer one where the last dimensions are equal, as they are
	 * in slices of tensors whose shapes go together; else it is one element. */
	const int64_t step = (a < b ? b : a) % run == 0 ? run : 1;

	for (int64_t i = 0; i < n; i += step)
		memcpy((char *)to_at + place(to, i) * bytes,
		       (const char *)from_at + place(from, i) * bytes, (size_t)(step * bytes));
}
