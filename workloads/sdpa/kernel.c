/* Scaled-dot-product attention, forward: out = softmax(scale * q k^T) v over [B, H, S, D] tensors.
 *
 * One call handles `query_blocks` blocks of BLOCK_M queries of one head. For each block the keys
 * pass by in blocks of BLOCK_N; the running maximum and sum of each row (online softmax) rescale
 * what was accumulated so far, so that no more than BLOCK_M x BLOCK_N scores exist at a time. With
 * `causal`, query i sees the keys j <= i: key blocks above the diagonal are never visited, and on
 * the diagonal no tile above it.
 *
 * Both products run over strips of WIDTH columns: of keys, which are transposed for it, and of v.
 *
 * Build-stage parameters: BLOCK_M, BLOCK_N; ROWS and VECTORS, the size of a register tile, and
 * UNROLL, of its loop; PACK_ALL (1: all keys of the head are packed into strips at the start of a
 * call, 0: each block of keys whenever a block of queries meets it, which costs more and takes less
 * cache); PACK_V (1: v is packed into strips too, 0: read where it is, which needs floats). */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../cpu/tile.h"
#include "softmax.h"

_Static_assert(BLOCK_M % ROWS == 0, "a block of queries is a whole number of register tiles");
_Static_assert(BLOCK_N % WIDTH == 0, "a block of keys is a whole number of strips");
_Static_assert(PACK_V || DTYPE_T == DTYPE_f32, "v is multiplied as float");

struct head { /* the sequence of one head of one batch entry */
	const element *q, *k, *v;
	element *out;
	int64_t s, d;
	float scale; /* of scores in powers of two */
	bool causal;
};

struct work {           /* of one thread */
	float *queries; /* tiles of d x ROWS, scaled */
	float *output;  /* BLOCK_M x padded(d), not yet divided by sums */
	float *scores;  /* BLOCK_M x BLOCK_N; after the softmax step, weights */
	float *keys;    /* strips of d x WIDTH, of PACK_ALL's keys */
	float *values;  /* PACK_V: strips of keys x WIDTH; else v's last columns as one */
	float maxima[BLOCK_M], sums[BLOCK_M], rescale[BLOCK_M];
};

struct step {                      /* a block of queries meets a block of keys */
	int64_t first_query, rows; /* rows: a multiple of ROWS, may reach beyond the sequence */
	int64_t first_key, keys;
	bool causal;
};

/* How many of the step's keys the row may see: the first of them. Grows with the row. */
INLINE int64_t visible_keys(const struct step *t, int64_t row)
{
	const int64_t upto = t->first_query + row + 1 - t->first_key;
	if (!t->causal || upto > t->keys)
		return t->keys;
	return upto < 0 ? 0 : upto;
}

/* The first row, rounded down to a register tile, that may see the step's key number `key`. */
INLINE int64_t first_row(const struct step *t, int64_t key)
{
	const int64_t row = t->first_key + key - t->first_query;
	return t->causal && row > 0 ? row / ROWS * ROWS : 0;
}

/* Strips of WIDTH keys, each d x WIDTH. Keys beyond the sequence are left as they are: whatever the
 * tiles compute for them is masked. */
STEP void keys_pack(const struct head *h, float *strip, int64_t from, int64_t to)
{
	for (; from < to; from += WIDTH, strip += WIDTH * h->d) {
		const element *k = h->k + from * h->d;
		const int64_t keys = least(WIDTH, to - from);
		if (keys == WIDTH)
			for (int64_t i = 0; i < h->d; i++)
				for (int64_t j = 0; j < WIDTH; j++)
					strip[i * WIDTH + j] = element_load(k + j * h->d + i);
		else
			for (int64_t j = 0; j < keys; j++)
				for (int64_t i = 0; i < h->d; i++)
					strip[i * WIDTH + j] = element_load(k + j * h->d + i);
	}
}

/* Columns from `column` on of the values of keys from..to, as a strip. Columns beyond d are left as
 * they are: block_end drops what becomes of them. */
STEP void values_pack_strip(const struct head *h, float *strip, int64_t column, int64_t from,
			    int64_t to)
{
	const int64_t columns = least(WIDTH, h->d - column);
	for (int64_t j = from; j < to; j++, strip += WIDTH) {
		const element *v = h->v + j * h->d + column;
		if (columns == WIDTH)
			for (int64_t i = 0; i < WIDTH; i++)
				strip[i] = element_load(v + i);
		else
			for (int64_t i = 0; i < columns; i++)
				strip[i] = element_load(v + i);
	}
}

/* Strips are BLOCK_N keys long, one block of keys after the other. */
static void values_pack(const struct head *h, float *to, int64_t first, int64_t end)
{
	const int64_t block = BLOCK_N * round_up(h->d, WIDTH);
	for (; first < end; first += BLOCK_N, to += block)
		for (int64_t i = 0; i < h->d; i += WIDTH)
			values_pack_strip(h, to + i * BLOCK_N, i, first,
					  least(end, first + BLOCK_N));
}

static void keys_prepare(const struct head *h, struct work *w, int64_t first, int64_t end)
{
	keys_pack(h, w->keys, first, end);
	if (PACK_V)
		values_pack(h, w->values, first, end);
}

STEP void scores_compute(const struct head *h, const struct work *w, const struct step *t)
{
	const int64_t seen = visible_keys(t, t->rows - 1);
	const float *strip = w->keys + (PACK_ALL ? t->first_key * h->d : 0);
	for (int64_t j = 0; j < seen; j += WIDTH, strip += WIDTH * h->d)
		for (int64_t row = first_row(t, j); row < t->rows; row += ROWS) {
			struct tile sums = {0};
			tile_multiply(&sums, w->queries + row * h->d, 1, ROWS, strip, WIDTH, h->d);
			tile_store(w->scores + row * BLOCK_N + j, BLOCK_N, &sums);
		}
}

/* The first `visible` scores of the row become weights relative to the new maximum. */
STEP void softmax_row(struct work *w, int64_t row, int visible)
{
	float *scores = w->scores + row * BLOCK_N;
	const float before = w->maxima[row], top = scores_largest(scores, visible, before);
	/* Nothing but -inf so far: any finite reference avoids -inf - -inf. */
	const float reference = top > -INFINITY ? top : 0;
	const float sum = scores_weigh(scores, visible, reference);
	w->rescale[row] = softmax_weight(vec_all(before - reference))[0];
	w->sums[row] = w->sums[row] * w->rescale[row] + sum;
	w->maxima[row] = top;
}

/* On the diagonal the later rows of a tile see up to ROWS - 1 keys more than its first row; they
 * are added row by row, so that no row touches the values of a key that it must not see. */
STEP void output_add_stairs(const struct step *t, const struct work *w, int64_t row, float *out,
			    int64_t out_stride, const float *b, int64_t b_stride)
{
	const int64_t common = visible_keys(t, row);
	for (int64_t r = 1; r < ROWS; r++)
		for (int64_t j = common; j < visible_keys(t, row + r); j++) {
			const float weight = w->scores[(row + r) * BLOCK_N + j];
			float *restrict line = out + r * out_stride;
			for (int i = 0; i < WIDTH; i++)
				line[i] += weight * b[j * b_stride + i];
		}
}

INLINE void tile_load_scaled(struct tile *t, const float *from, int64_t stride, const float *scale)
{
	REPEAT(ROWS)
	for (int r = 0; r < ROWS; r++) {
		REPEAT(VECTORS)
		for (int c = 0; c < VECTORS; c++)
			t->sum[r][c] = vec_load(from + r * stride + c * LANES) * scale[r];
	}
}

/* WIDTH columns of output = output * rescale + weights * b. */
static void output_add_strip(const struct step *t, const struct work *w, float *column,
			     int64_t stride, const float *b, int64_t b_stride)
{
	for (int64_t row = first_row(t, 0); row < t->rows; row += ROWS) {
		const float *weights = w->scores + row * BLOCK_N;
		const int64_t common = visible_keys(t, row);
		float *out = column + row * stride;
		struct tile sums;
		tile_load_scaled(&sums, out, stride, w->rescale + row);
		tile_multiply(&sums, weights, BLOCK_N, 1, b, b_stride, common);
		tile_store(out, stride, &sums);
		if (visible_keys(t, row + ROWS - 1) > common)
			output_add_stairs(t, w, row, out, stride, b, b_stride);
	}
}

#if PACK_V

STEP void output_add(const struct head *h, const struct work *w, const struct step *t)
{
	const int64_t stride = round_up(h->d, MAX_WIDTH), padded = round_up(h->d, WIDTH);
	const float *strip = w->values + (PACK_ALL ? t->first_key * padded : 0);
	for (int64_t i = 0; i < h->d; i += WIDTH, strip += BLOCK_N * WIDTH)
		output_add_strip(t, w, w->output + i, stride, strip, WIDTH);
}

#else

STEP void output_add(const struct head *h, const struct work *w, const struct step *t)
{
	const float *v = h->v + t->first_key * h->d;
	const int64_t stride = round_up(h->d, MAX_WIDTH), whole = h->d / WIDTH * WIDTH;
	for (int64_t i = 0; i < whole; i += WIDTH)
		output_add_strip(t, w, w->output + i, stride, v + i, h->d);
	if (whole == h->d)
		return;
	values_pack_strip(h, w->values, whole, t->first_key, t->first_key + t->keys);
	output_add_strip(t, w, w->output + whole, stride, w->values, WIDTH);
}

#endif

STEP void block_begin(const struct head *h, struct work *w, const struct step *t)
{
	for (int64_t r = 0; r < t->rows; r++) {
		const bool inside = t->first_query + r < h->s;
		const element *q = h->q + (t->first_query + r) * h->d;
		float *tile = w->queries + r / ROWS * ROWS * h->d + r % ROWS;
		for (int64_t i = 0; i < h->d; i++)
			tile[i * ROWS] = inside ? element_load(q + i) * h->scale : 0;
		w->maxima[r] = -INFINITY;
		w->sums[r] = 0;
	}
	const int64_t stride = round_up(h->d, MAX_WIDTH);
	memset(w->output, 0, sizeof *w->output * (size_t)(t->rows * stride));
}

STEP void block_end(const struct head *h, const struct work *w, const struct step *t)
{
	const int64_t stride = round_up(h->d, MAX_WIDTH);
	const int64_t rows = least(t->rows, h->s - t->first_query);
	for (int64_t r = 0; r < rows; r++) {
		/* A row that saw nothing stays zero. */
		const float inverse = w->sums[r] == 0 ? 0 : 1 / w->sums[r];
		element *out = h->out + (t->first_query + r) * h->d;
		for (int64_t i = 0; i < h->d; i++)
			element_store(out + i, w->output[r * stride + i] * inverse);
	}
}

static void block_attend(const struct head *h, struct work *w, int64_t first_query)
{
	struct step t = {.first_query = first_query, .causal = h->causal};
	t.rows = round_up(least(BLOCK_M, h->s - first_query), ROWS);
	const int64_t end = h->causal ? least(h->s, first_query + t.rows) : h->s;
	block_begin(h, w, &t);
	for (; t.first_key < end; t.first_key += BLOCK_N) {
		t.keys = least(BLOCK_N, h->s - t.first_key);
		if (!PACK_ALL)
			keys_prepare(h, w, t.first_key, t.first_key + t.keys);
		scores_compute(h, w, &t);
		for (int64_t row = first_row(&t, 0); row < t.rows; row++)
			softmax_row(w, row, (int)visible_keys(&t, row));
		output_add(h, w, &t);
	}
	block_end(h, w, &t);
}

/* The layout that the scratch argument of sdpa.json provides for, per thread. */
static struct work work_place(float *scratch, int64_t thread, int64_t s, int64_t d)
{
	const int64_t queries = BLOCK_M * d, output = BLOCK_M * round_up(d, MAX_WIDTH);
	const int64_t scores = (int64_t)BLOCK_M * BLOCK_N;
	const int64_t packed = PACK_ALL ? round_up(s, BLOCK_N) : BLOCK_N, keys = packed * d;
	const int64_t values = PACK_V ? packed * round_up(d, MAX_WIDTH) : BLOCK_N * MAX_WIDTH;
	struct work w;
	w.queries = scratch + thread * (queries + output + scores + keys + values);
	w.output = w.queries + queries;
	w.scores = w.output + output;
	w.keys = w.scores + scores;
	w.values = w.keys + keys;
	return w;
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void sdpa(const element *q, const element *k, const element *v, element *out, int64_t s, int64_t d,
	  uint8_t causal, float scale, int64_t query_blocks, void *scratch, int64_t thread,
	  int64_t block_x, int64_t block_y)
{
	const double log2_e = 0x1.71547652b82fep+0;
	const int64_t at = block_y * s * d;
	const struct head h = {.q = q + at,
			       .k = k + at,
			       .v = v + at,
			       .out = out + at,
			       .s = s,
			       .d = d,
			       .scale = (float)(scale * log2_e),
			       .causal = causal != 0};
	struct work w = work_place(scratch, thread, s, d);
	const int64_t first = block_x * query_blocks * BLOCK_M;
	const int64_t end = least(s, first + query_blocks * BLOCK_M);
	if (PACK_ALL)
		keys_prepare(&h, &w, 0, h.causal ? end : s);
	for (int64_t query = first; query < end; query += BLOCK_M)
		block_attend(&h, &w, query);
}
