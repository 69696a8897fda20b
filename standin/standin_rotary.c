/* Operators that rotate queries and keys by their tokens' positions. */
#include <string.h>

#include "standin/standin_core.h"
#include "standin/standin_math.h"

#define IN(i)  (&o->in[i])
#define OUT(i) (&o->out[i])

/* Layouts and the mode that are stood in for: what the vendor's document promises. */
enum { LAYOUT_BSND = 1, LAYOUT_TND = 4 };
enum { QUERY, KEY, COS, SIN };                   /* inputs of ApplyRotaryPosEmbV2 */
enum { POSITIONS, ROPE_QUERY, ROPE_KEY, CACHE }; /* and of RopeWithSinCosCache */

/* ---- in place, by cosines and sines of each token ---- */

bool standin_rotary_fits(const struct standin_operands *o)
{
	return standin_is_real(IN(QUERY)) && standin_one_type(o) &&
	       (o->dim == LAYOUT_BSND || o->dim == LAYOUT_TND);
}

/* Bytes on chip that a token takes, from the vendor's document. */
static int64_t on_chip_bytes(const struct standin_operands *o, int64_t heads, int64_t d)
{
	const bool wide = IN(QUERY)->type == DTYPE_BF16;
	const int64_t own = (int64_t)dtype_bytes(IN(QUERY)->type), size = wide ? 4 : own;

	return 5 * heads * d * size + 4 * d * own + (wide ? 8 * d : 0);
}

bool standin_rotary_shaped(const struct standin_operands *o)
{
	const size_t rank = o->dim == LAYOUT_TND ? 3 : 4;
	const struct facts *f = &standin_get_control()->limits.facts;

	for (size_t i = 0; i < o->n_in; i++) {
		/* All have the same tokens; a token's cosines and sines serve all heads. */
		if (IN(i)->rank != rank || IN(i)->dims[rank - 1] != IN(QUERY)->dims[rank - 1] ||
		    memcmp(IN(i)->dims, IN(QUERY)->dims, (rank - 2) * sizeof *IN(i)->dims) != 0)
			return false;
		if (i >= COS && IN(i)->dims[rank - 2] != 1)
			return false;
	}
	const int64_t d = IN(QUERY)->dims[rank - 1],
		      heads = IN(QUERY)->dims[rank - 2] + IN(KEY)->dims[rank - 2];

	return (d == 64 || d == 128) &&
	       (!f->known[FACT_UB_BYTES] || on_chip_bytes(o, heads, d) <= f->value[FACT_UB_BYTES]);
}

void standin_rotary(const struct standin_operands *o, const struct standin_values *v)
{
	const size_t last = IN(QUERY)->rank - 1;
	const int64_t d = IN(QUERY)->dims[last];

	for (size_t t = QUERY; t <= KEY; t++) {
		const int64_t heads = IN(t)->dims[last - 1], rows = standin_view_count(IN(t)) / d;

		for (int64_t r = 0; r < rows; r++)
			for (int64_t k = 0; k < d; k++) {
				const int64_t at = r * d + k, of_token = r / heads * d + k;
				const double *x = v->in[t];
				const double other = k < d / 2 ? -x[at + d / 2] : x[at - d / 2];

				v->out[t][at] =
					x[at] * v->in[COS][of_token] + other * v->in[SIN][of_token];
			}
	}
}

/* ---- by a table and positions ---- */

bool standin_rope_fits(const struct standin_operands *o)
{
	/* The document lists 910B and 910_93 alone. */
	const char *soc = standin_get_control()->limits.name;
	const enum dtype t = OUT(0)->type;

	return strncmp(soc, "Ascend950", strlen("Ascend950")) != 0 && standin_is_real(OUT(0)) &&
	       IN(POSITIONS)->type == DTYPE_I64 && IN(ROPE_QUERY)->type == t &&
	       IN(ROPE_KEY)->type == t && IN(CACHE)->type == t && OUT(1)->type == t;
}

static bool is_contiguous(const struct standin_view *v)
{
	int64_t step = 1;

	for (size_t k = v->rank; k > 0; step *= v->dims[--k])
		if (v->dims[k - 1] > 1 && v->strides[k - 1] != step)
			return false;
	return true;
}

/* Rows of whole heads, as many as there are positions. */
static bool is_heads(const struct standin_view *v, int64_t tokens, int64_t d)
{
	return v->rank == 2 && v->dims[0] == tokens && v->dims[1] % d == 0;
}

bool standin_rope_shaped(const struct standin_operands *o)
{
	const int64_t unit = OUT(0)->type == DTYPE_F32 ? 16 : 32, d = o->dim,
		      tokens = IN(POSITIONS)->rank == 1 ? IN(POSITIONS)->dims[0] : -1;

	return d > 0 && d % unit == 0 && IN(CACHE)->rank == 2 && IN(CACHE)->dims[1] % unit == 0 &&
	       IN(CACHE)->dims[1] <= d && is_heads(IN(ROPE_QUERY), tokens, d) &&
	       is_heads(IN(ROPE_KEY), tokens, d) && standin_view_same(IN(ROPE_QUERY), OUT(0)) &&
	       standin_view_same(IN(ROPE_KEY), OUT(1)) && is_contiguous(OUT(0)) &&
	       is_contiguous(OUT(1));
}

/* Rotates one head by a row of the table, `n` elements of it: halves, or else pairs. */
static void turn(const double *x, const double *table, int64_t n, bool halves, double *out)
{
	for (int64_t k = 0; k < n / 2; k++) {
		const int64_t a = halves ? k : 2 * k, b = halves ? k + n / 2 : 2 * k + 1;
		const double cosine = table[k], sine = table[n / 2 + k];

		out[a] = x[a] * cosine - x[b] * sine;
		out[b] = x[b] * cosine + x[a] * sine;
	}
}

void standin_rope(const struct standin_operands *o, const struct standin_values *v)
{
	const int64_t d = o->dim, n = IN(CACHE)->dims[1];

	for (int64_t t = 0; t < IN(POSITIONS)->dims[0]; t++) {
		const double position = v->in[POSITIONS][t];

		if (!(position >= 0 && position < (double)IN(CACHE)->dims[0])) {
			*v->fault = "a position beyond the table";
			return;
		}
		for (size_t i = 0; i < 2; i++) {
			const int64_t width = OUT(i)->dims[1];

			memcpy(v->out[i] + t * width, v->in[ROPE_QUERY + i] + t * width,
			       (size_t)width * sizeof(double));
			for (int64_t h = 0; h < width / d; h++)
				turn(v->in[ROPE_QUERY + i] + t * width + h * d,
				     v->in[CACHE] + (int64_t)position * n, n, o->truth,
				     v->out[i] + t * width + h * d);
		}
	}
}

/* The table's rows count once for each token. */
double standin_rope_bytes(const struct standin_operands *o)
{
	return standin_view_bytes(IN(POSITIONS)) + 2 * standin_view_bytes(OUT(0)) +
	       2 * standin_view_bytes(OUT(1)) +
	       (double)(IN(POSITIONS)->dims[0] * IN(CACHE)->dims[1]) *
		       (double)dtype_bytes(IN(CACHE)->type);
}
