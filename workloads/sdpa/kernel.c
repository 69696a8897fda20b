/* Scaled-dot-product attention, forward: out = softmax(scale * q k^T) v over [B, H, S, D] tensors.
 *
 * One call handles `query_blocks` blocks of BLOCK_M queries of one head. For each block the keys
 * pass by in blocks of BLOCK_N; the running maximum and sum of each row (online softmax) rescale
 * what was accumulated so far, so that no more than BLOCK_M x BLOCK_N scores exist at a time. With
 * `causal`, query i sees the keys j <= i: key blocks above the diagonal are never visited.
 *
 * Build-stage parameters: BLOCK_M, BLOCK_N, ROWS (rows of a register tile), UNROLL (of its loop),
 * PACK_K (1: the head's keys are transposed into strips of WIDTH keys first, so that scores are
 * computed like the product with v, without sums across a vector). */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tile.h"

_Static_assert(BLOCK_M % ROWS == 0, "a block of queries is a whole number of register tiles");
_Static_assert(BLOCK_N % MAX_WIDTH == 0, "a block of keys is a whole number of strips");

struct head { /* the sequence of one head of one batch entry */
	const element *q, *k, *v;
	element *out;
	int64_t s, d;
	float scale; /* of scores in powers of two */
	bool causal;
};

struct work {           /* of one thread */
	float *queries; /* BLOCK_M x d, scaled */
	float *output;  /* BLOCK_M x padded(d), not yet divided by sums */
	float *scores;  /* BLOCK_M x BLOCK_N; after the softmax step, weights */
	float *tail;    /* BLOCK_N x WIDTH: v's last columns when d is not a multiple of WIDTH */
	float *keys;    /* PACK_K: strips of d x WIDTH */
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

#if PACK_K

/* Strips of WIDTH keys, each d x WIDTH. Keys beyond the sequence are left as they are: whatever the
 * tiles compute for them is masked. */
static void keys_prepare(const struct head *h, struct work *w, int64_t n)
{
	for (int64_t first = 0; first < n; first += WIDTH) {
		float *strip = w->keys + first * h->d;
		const int64_t keys = least(WIDTH, h->s - first);
		for (int64_t j = 0; j < keys; j++)
			for (int64_t i = 0; i < h->d; i++)
				strip[i * WIDTH + j] = element_load(h->k + (first + j) * h->d + i);
	}
}

static void scores_compute(const struct head *h, const struct work *w, const struct step *t)
{
	const int64_t seen = visible_keys(t, t->rows - 1);
	for (int64_t j = 0; j < seen; j += WIDTH) {
		const float *strip = w->keys + (t->first_key + j) * h->d;
		for (int64_t row = first_row(t, j); row < t->rows; row += ROWS) {
			vec sum[ROWS][2] = {0};
			tile_multiply(sum, w->queries + row * h->d, h->d, strip, WIDTH, h->d);
			tile_store(w->scores + row * BLOCK_N + j, BLOCK_N, sum);
		}
	}
}

#else

static void keys_prepare(const struct head *h, struct work *w, int64_t n)
{
	(void)h, (void)w, (void)n;
}

/* Scores of ROWS queries for two keys (or twice the same one, where only one is left). */
INLINE void scores_of_pair(const struct head *h, const float *q, const element *const k[2],
			   float *const out[2])
{
	vec sum[ROWS][2] = {0};
	const int64_t whole = h->d / LANES * LANES;
	REPEAT(UNROLL)
	for (int64_t i = 0; i < whole; i += LANES) {
		const vec left = vec_load(k[0] + i), right = vec_load(k[1] + i);
		REPEAT(ROWS)
		for (int r = 0; r < ROWS; r++) {
			sum[r][0] += vec_load(q + r * h->d + i) * left;
			sum[r][1] += vec_load(q + r * h->d + i) * right;
		}
	}
	REPEAT(ROWS)
	for (int64_t r = 0; r < ROWS; r++) {
		REPEAT(2)
		for (int c = 0; c < 2; c++) {
			float x = 0;
			REPEAT(LANES)
			for (int lane = 0; lane < LANES; lane++)
				x += sum[r][c][lane];
			for (int64_t i = whole; i < h->d; i++)
				x += q[r * h->d + i] * element_load(k[c] + i);
			out[c][r * BLOCK_N] = x;
		}
	}
}

static void scores_compute(const struct head *h, const struct work *w, const struct step *t)
{
	const int64_t seen = visible_keys(t, t->rows - 1);
	for (int64_t row = first_row(t, 0); row < t->rows; row += ROWS) {
		const int64_t keys = least(seen, visible_keys(t, row + ROWS - 1));
		float *line = w->scores + row * BLOCK_N;
		for (int64_t j = 0; j < keys; j += 2) {
			const int64_t next = least(j + 1, keys - 1);
			const element *first = h->k + t->first_key * h->d;
			const element *const k[2] = {first + j * h->d, first + next * h->d};
			float *const out[2] = {line + j, line + next};
			scores_of_pair(h, w->queries + row * h->d, k, out);
		}
	}
}

#endif

/* The online softmax of one row: its first `visible` scores become weights relative to the new
 * maximum. Loops run over whole vectors, so the keys beyond are masked twice: with -inf before the
 * maximum, and with zero after 2^x, which never gives one. A masked key adds exactly nothing. */
static void softmax_row(struct work *w, int64_t row, int visible)
{
	float *restrict scores = w->scores + row * BLOCK_N;
	const int padded = (visible + WIDTH - 1) / WIDTH * WIDTH;
	float top = w->maxima[row];
#pragma omp simd reduction(max : top)
	for (int j = 0; j < padded; j++) {
		float x = scores[j];
		x = j < visible ? x : -INFINITY;
		scores[j] = x;
		top = x > top ? x : top;
	}
	/* Nothing but -inf so far: any finite reference avoids -inf - -inf. */
	const float reference = top > -INFINITY ? top : 0;
	float sum = 0;
#pragma omp simd reduction(+ : sum)
	for (int j = 0; j < padded; j++) {
		float x = power_of_two(scores[j] - reference);
		x = j < visible ? x : 0;
		scores[j] = x;
		sum += x;
	}
	w->rescale[row] = power_of_two(w->maxima[row] - reference);
	w->sums[row] = w->sums[row] * w->rescale[row] + sum;
	w->maxima[row] = top;
}

/* On the diagonal the later rows of a tile see up to ROWS - 1 keys more than its first row; they
 * are added row by row, so that no row touches the values of a key that it must not see. */
static void output_add_stairs(const struct step *t, const struct work *w, int64_t row, float *out,
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

/* WIDTH columns of output = output * rescale + weights * b. */
static void output_add_strip(const struct step *t, const struct work *w, float *column,
			     int64_t stride, const float *b, int64_t b_stride)
{
	for (int64_t row = first_row(t, 0); row < t->rows; row += ROWS) {
		float *out = column + row * stride;
		vec sum[ROWS][2];
		REPEAT(ROWS)
		for (int r = 0; r < ROWS; r++) {
			sum[r][0] = vec_load(out + r * stride) * w->rescale[row + r];
			sum[r][1] = vec_load(out + r * stride + LANES) * w->rescale[row + r];
		}
		const int64_t common = visible_keys(t, row);
		tile_multiply(sum, w->scores + row * BLOCK_N, BLOCK_N, b, b_stride, common);
		tile_store(out, stride, sum);
		if (visible_keys(t, row + ROWS - 1) > common)
			output_add_stairs(t, w, row, out, stride, b, b_stride);
	}
}

static void output_add(const struct head *h, const struct work *w, const struct step *t)
{
	const element *v = h->v + t->first_key * h->d;
	const int64_t stride = round_up(h->d, MAX_WIDTH), whole = h->d / WIDTH * WIDTH;
	for (int64_t i = 0; i < whole; i += WIDTH)
		output_add_strip(t, w, w->output + i, stride, v + i, h->d);
	if (whole == h->d)
		return;
	/* Columns beyond d are left as they are: block_end drops what becomes of them. */
	for (int64_t j = 0; j < t->keys; j++)
		for (int64_t i = whole; i < h->d; i++)
			w->tail[j * WIDTH + i - whole] = element_load(v + j * h->d + i);
	output_add_strip(t, w, w->output + whole, stride, w->tail, WIDTH);
}

static void block_begin(const struct head *h, struct work *w, const struct step *t)
{
	for (int64_t r = 0; r < t->rows; r++) {
		const bool inside = t->first_query + r < h->s;
		const element *q = h->q + (t->first_query + r) * h->d;
		for (int64_t i = 0; i < h->d; i++)
			w->queries[r * h->d + i] = inside ? element_load(q + i) * h->scale : 0;
		w->maxima[r] = -INFINITY;
		w->sums[r] = 0;
	}
	const int64_t stride = round_up(h->d, MAX_WIDTH);
	memset(w->output, 0, sizeof *w->output * (size_t)(t->rows * stride));
}

static void block_end(const struct head *h, const struct work *w, const struct step *t)
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
	const int64_t scores = (int64_t)BLOCK_M * BLOCK_N, tail = (int64_t)BLOCK_N * MAX_WIDTH;
	const int64_t keys = PACK_K * round_up(s, BLOCK_N) * d;
	struct work w;
	w.queries = scratch + thread * (queries + output + scores + tail + keys);
	w.output = w.queries + queries;
	w.scores = w.output + output;
	w.tail = w.scores + scores;
	w.keys = w.tail + tail;
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
	keys_prepare(&h, &w, h.causal ? end : s);
	for (int64_t query = first; query < end; query += BLOCK_M)
		block_attend(&h, &w, query);
}
