/* Operators that find places by numbers in a tensor: rows are moved as they are, without a way over
 * doubles, and nothing else of their tensors is touched. */
#include <string.h>

#include "standin/standin_math.h"

#define IN(i)  (&o->in[i])
#define OUT(i) (&o->out[i])

static bool is_index(const struct standin_view *v)
{
	return v->type == DTYPE_I32 || v->type == DTYPE_I64;
}

/* Number `i` of an index of one dimension. */
static int64_t read_index(const struct standin_view *v, const void *at, int64_t i)
{
	const char *element = (const char *)at + (v->offset + i * (v->rank ? v->strides[0] : 0)) *
							 (int64_t)dtype_bytes(v->type);
	int64_t wide;
	int32_t narrow;

	if (v->type == DTYPE_I64) {
		memcpy(&wide, element, sizeof wide);
		return wide;
	}
	memcpy(&narrow, element, sizeof narrow);
	return narrow;
}

/* A view of what one number along a dimension leaves of a tensor. */
static struct standin_view slice(const struct standin_view *v, int64_t axis, int64_t i)
{
	struct standin_view s = *v;

	s.offset += i * v->strides[axis];
	s.dims[axis] = 1;
	return s;
}

/* The first dimensions of a tensor, taken for one: [blocks, block_size, ...] is [slots, ...]. */
static struct standin_view slot(const struct standin_view *v, int64_t i)
{
	struct standin_view s = *v;

	s.offset += i / v->dims[1] * v->strides[0] + i % v->dims[1] * v->strides[1];
	s.rank = v->rank - 2;
	memmove(s.dims, v->dims + 2, s.rank * sizeof *s.dims);
	memmove(s.strides, v->strides + 2, s.rank * sizeof *s.strides);
	return s;
}

/* The same for the rows of [tokens, ...]. */
static struct standin_view row(const struct standin_view *v, int64_t i)
{
	struct standin_view s = *v;

	s.offset += i * v->strides[0];
	s.rank = v->rank - 1;
	memmove(s.dims, v->dims + 1, s.rank * sizeof *s.dims);
	memmove(s.strides, v->strides + 1, s.rank * sizeof *s.strides);
	return s;
}

/* ---- out = self[index] along a dimension ---- */

bool standin_index_select_fits(const struct standin_operands *o)
{
	return is_index(IN(1)) && IN(0)->type == OUT(0)->type;
}

bool standin_index_select_shaped(const struct standin_operands *o)
{
	const int64_t axis = standin_axis(IN(0), o->dim);
	struct standin_view whole = *IN(0);

	if (axis < 0 || IN(1)->rank != 1)
		return false;
	whole.dims[axis] = IN(1)->dims[0];
	return standin_view_same(&whole, OUT(0));
}

void standin_index_select(const struct standin_operands *o, void *const *at, const char **fault)
{
	const int64_t axis = standin_axis(IN(0), o->dim);

	for (int64_t i = 0; i < IN(1)->dims[0]; i++) {
		const int64_t from = read_index(IN(1), at[1], i);

		if (from < 0 || from >= IN(0)->dims[axis]) {
			*fault = "a number beyond the tensor's dimension";
			return;
		}
		const struct standin_view in = slice(IN(0), axis, from),
					  out = slice(OUT(0), axis, i);

		standin_view_move(&in, at[0], &out, at[2]);
	}
}

/* ---- self[index] = source along a dimension ---- */

bool standin_index_copy_fits(const struct standin_operands *o)
{
	return is_index(IN(0)) && IN(1)->type == OUT(0)->type;
}

bool standin_index_copy_shaped(const struct standin_operands *o)
{
	const int64_t axis = standin_axis(OUT(0), o->dim);
	struct standin_view whole = *IN(1);

	if (axis < 0 || IN(0)->rank != 1 || IN(1)->rank != OUT(0)->rank ||
	    IN(1)->dims[axis] != IN(0)->dims[0])
		return false;
	whole.dims[axis] = OUT(0)->dims[axis];
	return standin_view_same(&whole, OUT(0));
}

/* Negative numbers count from the end, as the vendor's do: -1 is the last place, no padding. */
void standin_index_copy(const struct standin_operands *o, void *const *at, const char **fault)
{
	const int64_t axis = standin_axis(OUT(0), o->dim), n = OUT(0)->dims[axis];

	for (int64_t i = 0; i < IN(0)->dims[0]; i++) {
		const int64_t stated = read_index(IN(0), at[0], i),
			      to = stated < 0 ? stated + n : stated;

		if (to < 0 || to >= n) {
			*fault = "a number beyond the tensor's dimension";
			return;
		}
		const struct standin_view in = slice(IN(1), axis, i), out = slice(OUT(0), axis, to);

		standin_view_move(&in, at[1], &out, at[2]);
	}
}

/* ---- caches in blocks: key, value and slots to two caches ---- */

bool standin_scatter_fits(const struct standin_operands *o)
{
	const enum dtype t = IN(0)->type;

	return is_index(IN(2)) && (t == DTYPE_F16 || t == DTYPE_BF16 || t == DTYPE_I8) &&
	       IN(1)->type == t && OUT(0)->type == t && OUT(1)->type == t;
}

/* True where rows of [T, N, D] go into a cache of [blocks, block_size, N, D]. */
static bool goes_into(const struct standin_view *rows, const struct standin_view *cache,
		      int64_t tokens)
{
	return rows->rank == 3 && cache->rank == 4 && rows->dims[0] == tokens &&
	       rows->dims[1] == cache->dims[2] && rows->dims[2] == cache->dims[3];
}

bool standin_scatter_shaped(const struct standin_operands *o)
{
	return IN(2)->rank == 1 && goes_into(IN(0), OUT(0), IN(2)->dims[0]) &&
	       goes_into(IN(1), OUT(1), IN(2)->dims[0]) && OUT(0)->dims[0] == OUT(1)->dims[0] &&
	       OUT(0)->dims[1] == OUT(1)->dims[1];
}

void standin_scatter(const struct standin_operands *o, void *const *at, const char **fault)
{
	const int64_t n = OUT(0)->dims[0] * OUT(0)->dims[1];

	for (int64_t i = 0; i < IN(2)->dims[0]; i++) {
		const int64_t to = read_index(IN(2), at[2], i);

		if (to < 0 || to >= n) {
			*fault = "a slot that is none of the cache's";
			return;
		}
		/* Of two tokens with one slot the vendor does not say which one stays. */
		for (int64_t k = 0; k < i; k++)
			if (read_index(IN(2), at[2], k) == to) {
				*fault = "two tokens with one slot";
				return;
			}
		for (size_t k = 0; k < 2; k++) {
			const struct standin_view in = row(IN(k), i), out = slot(OUT(k), to);

			standin_view_move(&in, at[k], &out, at[3 + k]);
		}
	}
}

/* ---- time ---- */

/* Elements that are moved are read and written once, wherever they lie, beside the numbers. */
double standin_index_select_bytes(const struct standin_operands *o)
{
	return standin_view_bytes(IN(1)) + 2 * standin_view_bytes(OUT(0));
}

double standin_index_copy_bytes(const struct standin_operands *o)
{
	return standin_view_bytes(IN(0)) + 2 * standin_view_bytes(IN(1));
}

double standin_scatter_bytes(const struct standin_operands *o)
{
	return 2 * (standin_view_bytes(IN(0)) + standin_view_bytes(IN(1))) +
	       standin_view_bytes(IN(2));
}
