/* The vendor's operators, computed naively in double. */
#include <math.h>
#include <string.h>

#include "standin/standin_math.h"

#define IN(i)  (&o->in[i])
#define OUT(i) (&o->out[i])

bool standin_is_real(const struct standin_view *v)
{
	return v->type == DTYPE_F32 || v->type == DTYPE_F16 || v->type == DTYPE_BF16;
}

bool standin_one_type(const struct standin_operands *o)
{
	bool one = true;

	for (size_t i = 0; i < o->n_in; i++)
		one &= IN(i)->type == OUT(0)->type;
	for (size_t i = 0; i < o->n_out; i++)
		one &= OUT(i)->type == OUT(0)->type;
	return one;
}

static bool all_alike(const struct standin_operands *o)
{
	for (size_t i = 0; i < o->n_in; i++)
		if (!standin_view_same(IN(i), OUT(0)) || IN(i)->type != OUT(0)->type)
			return false;
	return true;
}

static bool real_alike(const struct standin_operands *o)
{
	return standin_is_real(IN(0)) && all_alike(o);
}

int64_t standin_axis(const struct standin_view *v, int64_t dim)
{
	const int64_t rank = (int64_t)v->rank, axis = dim < 0 ? dim + rank : dim;

	return axis >= 0 && axis < rank ? axis : -1;
}

/* Elements before, in and behind a dimension of a row-major tensor. */
struct split {
	int64_t outer, n, inner;
};

static struct split split_at(const struct standin_view *v, int64_t axis)
{
	struct split s = {1, v->dims[axis], 1};

	for (size_t i = 0; i < v->rank; i++)
		*((int64_t)i < axis ? &s.outer : &s.inner) *= (int64_t)i == axis ? 1 : v->dims[i];
	return s;
}

/* ---- elements ---- */

static void add(const struct standin_operands *o, const struct standin_values *v)
{
	const int64_t n = standin_view_count(OUT(0));

	for (int64_t i = 0; i < n; i++)
		v->out[0][i] = v->in[0][i] + o->number * v->in[1][i];
}

static void multiply(const struct standin_operands *o, const struct standin_values *v)
{
	const int64_t n = standin_view_count(OUT(0));

	for (int64_t i = 0; i < n; i++)
		v->out[0][i] = v->in[0][i] * v->in[1][i];
}

static double silu_of(double x)
{
	return x / (1 + exp(-x));
}

static void silu(const struct standin_operands *o, const struct standin_values *v)
{
	const int64_t n = standin_view_count(OUT(0));

	for (int64_t i = 0; i < n; i++)
		v->out[0][i] = silu_of(v->in[0][i]);
}

static bool cast_fits(const struct standin_operands *o)
{
	return standin_view_same(IN(0), OUT(0)) && (int64_t)OUT(0)->type == o->dim;
}

static void cast(const struct standin_operands *o, const struct standin_values *v)
{
	memcpy(v->out[0], v->in[0], (size_t)standin_view_count(OUT(0)) * sizeof(double));
}

/* A copy into a tensor of another type, too: the source is as large, or repeated. */
static bool copy_fits(const struct standin_operands *o)
{
	return standin_view_same(IN(0), OUT(0));
}

static bool fill_fits(const struct standin_operands *o)
{
	const enum dtype t = OUT(0)->type;

	return IN(1)->type == DTYPE_BOOL && (standin_is_real(OUT(0)) || t == DTYPE_I32 ||
					     t == DTYPE_I64 || t == DTYPE_I8 || t == DTYPE_BOOL);
}

static void fill(const struct standin_operands *o, const struct standin_values *v)
{
	const int64_t n = standin_view_count(OUT(0));

	for (int64_t i = 0; i < n; i++)
		v->out[0][i] = v->in[1][i] != 0 ? o->number : v->in[0][i];
}

/* ---- halves and pieces ---- */

static bool swiglu_fits(const struct standin_operands *o)
{
	const int64_t axis = standin_axis(IN(0), o->dim);

	if (axis < 0 || !standin_is_real(IN(0)) || IN(0)->type != OUT(0)->type ||
	    IN(0)->rank != OUT(0)->rank)
		return false;
	for (size_t i = 0; i < IN(0)->rank; i++)
		if (IN(0)->dims[i] != OUT(0)->dims[i] * ((int64_t)i == axis ? 2 : 1))
			return false;
	return true;
}

static void swiglu(const struct standin_operands *o, const struct standin_values *v)
{
	const struct split s = split_at(OUT(0), standin_axis(OUT(0), o->dim));
	const int64_t half = s.n * s.inner;

	for (int64_t i = 0; i < s.outer; i++)
		for (int64_t k = 0; k < half; k++)
			v->out[0][i * half + k] = silu_of(v->in[0][2 * i * half + k]) *
						  v->in[0][(2 * i + 1) * half + k];
}

static bool cat_fits(const struct standin_operands *o)
{
	const int64_t axis = standin_axis(OUT(0), o->dim);
	int64_t sum = 0;

	for (size_t i = 0; i < o->n_in && axis >= 0; i++) {
		struct standin_view whole = *IN(i);

		if (whole.rank != OUT(0)->rank || whole.type != OUT(0)->type)
			return false;
		sum += whole.dims[axis];
		whole.dims[axis] = OUT(0)->dims[axis];
		if (!standin_view_same(&whole, OUT(0)))
			return false;
	}
	return axis >= 0 && o->n_in > 0 && sum == OUT(0)->dims[axis];
}

static void cat(const struct standin_operands *o, const struct standin_values *v)
{
	const int64_t axis = standin_axis(OUT(0), o->dim);
	const struct split all = split_at(OUT(0), axis);
	int64_t at = 0;

	for (size_t i = 0; i < o->n_in; i++) {
		const int64_t piece = IN(i)->dims[axis] * all.inner;

		for (int64_t k = 0; k < all.outer; k++)
			memcpy(v->out[0] + k * all.n * all.inner + at, v->in[i] + k * piece,
			       (size_t)piece * sizeof(double));
		at += piece;
	}
}

/* ---- rows ---- */

static bool softmax_fits(const struct standin_operands *o)
{
	return standin_axis(IN(0), o->dim) >= 0 && real_alike(o);
}

static void softmax(const struct standin_operands *o, const struct standin_values *v)
{
	const struct split s = split_at(OUT(0), standin_axis(OUT(0), o->dim));

	for (int64_t row = 0; row < s.outer * s.inner; row++) {
		const int64_t first = row / s.inner * s.n * s.inner + row % s.inner;
		double most = -INFINITY, sum = 0;

		for (int64_t i = 0; i < s.n; i++)
			most = fmax(most, v->in[0][first + i * s.inner]);
		for (int64_t i = 0; i < s.n; i++)
			sum += exp(v->in[0][first + i * s.inner] - most);
		for (int64_t i = 0; i < s.n; i++)
			v->out[0][first + i * s.inner] =
				exp(v->in[0][first + i * s.inner] - most) / sum;
	}
}

/* True where gamma is the last dimensions of x, and rstd, in f32, has the others. */
static bool norm_fits(const struct standin_view *x, const struct standin_view *gamma,
		      const struct standin_view *rstd)
{
	const size_t outer = x->rank - gamma->rank;

	if (gamma->rank > x->rank || rstd->type != DTYPE_F32 || !standin_is_real(x))
		return false;
	return memcmp(x->dims + outer, gamma->dims, gamma->rank * sizeof *gamma->dims) == 0 &&
	       standin_view_count(rstd) * standin_view_count(gamma) == standin_view_count(x);
}

static void norm(const double *x, const double *gamma, int64_t rows, int64_t n, double epsilon,
		 double *y, double *rstd)
{
	for (int64_t row = 0; row < rows; row++) {
		double squares = 0;

		for (int64_t i = 0; i < n; i++)
			squares += x[row * n + i] * x[row * n + i];
		rstd[row] = 1 / sqrt(squares / (double)n + epsilon);
		for (int64_t i = 0; i < n; i++)
			y[row * n + i] = x[row * n + i] * rstd[row] * gamma[i];
	}
}

static bool rms_norm_fits(const struct standin_operands *o)
{
	return norm_fits(IN(0), IN(1), OUT(1)) && standin_view_same(IN(0), OUT(0)) &&
	       IN(0)->type == OUT(0)->type;
}

static void rms_norm(const struct standin_operands *o, const struct standin_values *v)
{
	norm(v->in[0], v->in[1], standin_view_count(OUT(1)), standin_view_count(IN(1)), o->number,
	     v->out[0], v->out[1]);
}

static bool add_rms_norm_fits(const struct standin_operands *o)
{
	return norm_fits(IN(0), IN(2), OUT(1)) && standin_view_same(IN(0), IN(1)) &&
	       standin_view_same(IN(0), OUT(0)) && standin_view_same(IN(0), OUT(2)) &&
	       IN(0)->type == OUT(0)->type && IN(0)->type == OUT(2)->type;
}

static void add_rms_norm(const struct standin_operands *o, const struct standin_values *v)
{
	for (int64_t i = 0; i < standin_view_count(IN(0)); i++)
		v->out[2][i] = v->in[0][i] + v->in[1][i];
	norm(v->out[2], v->in[2], standin_view_count(OUT(1)), standin_view_count(IN(2)), o->number,
	     v->out[0], v->out[1]);
}

/* ---- products ---- */

static bool product_fits(const struct standin_operands *o)
{
	return standin_is_real(IN(0)) && IN(0)->type == IN(1)->type &&
	       IN(0)->type == OUT(0)->type && IN(0)->rank == 2 && IN(1)->rank == 2 &&
	       OUT(0)->rank == 2 && IN(0)->dims[1] == IN(1)->dims[0] &&
	       OUT(0)->dims[0] == IN(0)->dims[0] && OUT(0)->dims[1] == IN(1)->dims[1];
}

static void product(const struct standin_operands *o, const struct standin_values *v)
{
	const int64_t m = IN(0)->dims[0], k = IN(0)->dims[1], n = IN(1)->dims[1];

	for (int64_t row = 0; row < m; row++)
		for (int64_t i = 0; i < k; i++)
			for (int64_t column = 0; column < n; column++)
				v->out[0][row * n + column] +=
					v->in[0][row * k + i] * v->in[1][i * n + column];
}

static double product_operations(const struct standin_operands *o)
{
	return 2. * (double)IN(0)->dims[0] * (double)IN(0)->dims[1] * (double)IN(1)->dims[1];
}

/* Products to which a part of a tensor is added: inputs are the factors and, where beta is not 0,
 * that tensor in the shape of the output. */
static bool sum_fits(const struct standin_operands *o)
{
	return standin_is_real(OUT(0)) && standin_one_type(o);
}

/* Batches in front, in all three or in none. */
static bool sum_shaped(const struct standin_operands *o)
{
	const size_t rank = o->truth ? 3 : 2, row = rank - 2, column = rank - 1;

	return IN(0)->rank == rank && IN(1)->rank == rank && OUT(0)->rank == rank &&
	       (!o->truth ||
		(IN(0)->dims[0] == IN(1)->dims[0] && IN(0)->dims[0] == OUT(0)->dims[0])) &&
	       IN(0)->dims[column] == IN(1)->dims[row] && OUT(0)->dims[row] == IN(0)->dims[row] &&
	       OUT(0)->dims[column] == IN(1)->dims[column];
}

static void sum(const struct standin_operands *o, const struct standin_values *v)
{
	const size_t rank = OUT(0)->rank;
	const int64_t m = OUT(0)->dims[rank - 2], n = OUT(0)->dims[rank - 1],
		      k = IN(0)->dims[rank - 1], count = standin_view_count(OUT(0));

	for (int64_t b = 0; b < count / (m * n); b++)
		for (int64_t row = 0; row < m; row++)
			for (int64_t i = 0; i < k; i++)
				for (int64_t column = 0; column < n; column++)
					v->out[0][(b * m + row) * n + column] +=
						v->in[0][(b * m + row) * k + i] *
						v->in[1][(b * k + i) * n + column];
	for (int64_t i = 0; i < count; i++)
		v->out[0][i] =
			o->second * v->out[0][i] + (o->n_in > 2 ? o->number * v->in[2][i] : 0);
}

static double sum_operations(const struct standin_operands *o)
{
	return 2. * (double)standin_view_count(OUT(0)) * (double)IN(0)->dims[IN(0)->rank - 1];
}

/* A cast that changes nothing. */
static bool is_silent(const struct standin_operands *o)
{
	return IN(0)->type == OUT(0)->type;
}

/* Choices, so that each path of a caller is taken: softmax has two kernels, a cast to the same type
 * none; what softmax and products need beside their tensors; which one is not repeatable. */
static const struct standin_operator operators[] = {
	{"Add", real_alike, add, .kernels = 1},
	{"Mul", real_alike, multiply, .kernels = 1},
	{"Silu", real_alike, silu, .kernels = 1},
	{"SwiGlu", swiglu_fits, swiglu, .kernels = 1, .once = true},
	{"Cast", cast_fits, cast, .kernels = 1, .silent = is_silent},
	{"Cat", cat_fits, cat, .kernels = 1},
	{"Softmax", softmax_fits, softmax, .kernels = 2, .workspace = true},
	{"RmsNorm", rms_norm_fits, rms_norm, .kernels = 1},
	{"AddRmsNorm", add_rms_norm_fits, add_rms_norm, .kernels = 1},
	{"Mm", product_fits, product, product_operations, .kernels = 1, .workspace = true},
	{"Matmul", product_fits, product, product_operations, .kernels = 1, .workspace = true},
	{"Addmm", sum_fits, sum, sum_operations, .kernels = 1, .workspace = true,
	 .shaped = sum_shaped},
	{"Baddbmm", sum_fits, sum, sum_operations, .kernels = 1, .workspace = true,
	 .shaped = sum_shaped},
	{"InplaceCopy", copy_fits, cast, .kernels = 1},
	{"InplaceMaskedFillScalar", fill_fits, fill, .kernels = 1},
	{"IndexSelect", standin_index_select_fits, .kernels = 1,
	 .shaped = standin_index_select_shaped, .move = standin_index_select,
	 .bytes = standin_index_select_bytes},
	{"ApplyRotaryPosEmbV2", standin_rotary_fits, standin_rotary, .kernels = 1,
	 .shaped = standin_rotary_shaped},
	{"RopeWithSinCosCache", standin_rope_fits, standin_rope, .kernels = 1, .workspace = true,
	 .shaped = standin_rope_shaped, .bytes = standin_rope_bytes},
	{"InplaceIndexCopy", standin_index_copy_fits, .kernels = 1, .partial = true, .once = true,
	 .shaped = standin_index_copy_shaped, .move = standin_index_copy,
	 .bytes = standin_index_copy_bytes},
	{"ScatterPaKvCache", standin_scatter_fits, .kernels = 1, .partial = true,
	 .shaped = standin_scatter_shaped, .move = standin_scatter, .bytes = standin_scatter_bytes},
};

const struct standin_operator *standin_operator_find(const char *name)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (strcmp(operators[i].name, name) == 0)
			return &operators[i];
	return NULL;
}
