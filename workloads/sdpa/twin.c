/* Twin of kernel.py with WALK: the same blocks, sub-blocks of queries and blocks of keys; weights
 * are rounded to the elements' type before they meet the values. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"
#include "../npu/twin.h"

enum { ARG_Q, ARG_K, ARG_V, ARG_OUT, ARG_S, ARG_D, ARG_SCALE, ARG_BLOCKS };
enum { ROWS = BLOCK_SIZE_SUB };

/* Buffers of a sub-block on the chip while it walks the keys. */
struct sub_block {
	float queries[ROWS][HEAD], result[ROWS][HEAD], scores[ROWS][BLOCK_N];
	float highest[ROWS], total[ROWS];
	float keys[HEAD][BLOCK_N], values[BLOCK_N][HEAD]; /* keys transposed */
};

/* One head. */
struct head {
	const element *q, *k, *v;
	element *out;
	int64_t s, d;
	float scale;
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

INLINE float rounded(float x)
{
	element e;

	element_store(&e, x);
	return element_load(&e);
}

static void begin(struct sub_block *b, const struct head *h, int64_t first)
{
	for (int64_t r = 0; r < ROWS; r++) {
		b->highest[r] = -INFINITY;
		b->total[r] = 0;
		for (int64_t c = 0; c < HEAD; c++) {
			b->result[r][c] = 0;
			b->queries[r][c] = first + r < h->s && c < h->d
						   ? element_load(h->q + (first + r) * h->d + c)
						   : 0;
		}
	}
}

static void load_keys(struct sub_block *b, const struct head *h, int64_t start)
{
	for (int64_t n = 0; n < BLOCK_N; n++)
		for (int64_t c = 0; c < HEAD; c++) {
			const int64_t at = (start + n) * h->d + c;
			const int there = start + n < h->s && c < h->d;

			b->keys[c][n] = there ? element_load(h->k + at) : 0;
			b->values[n][c] = there ? element_load(h->v + at) : 0;
		}
}

INLINE void score(float *restrict scores, const float *restrict query,
		  float (*restrict keys)[BLOCK_N])
{
	for (int64_t n = 0; n < BLOCK_N; n++)
		scores[n] = 0;
	for (int64_t c = 0; c < HEAD; c++)
		for (int64_t n = 0; n < BLOCK_N; n++)
			scores[n] += query[c] * keys[c][n];
}

/* Makes weights of the scores of one query, of which it sees `seen`, and shrinks what it had. */
INLINE void weigh(struct sub_block *b, int64_t r, int64_t seen, float scale)
{
	float most = -INFINITY, sum = 0;

	for (int64_t n = 0; n < seen; n++)
		most = b->scores[r][n] > most ? b->scores[r][n] : most;
	const float now = fmaxf(b->highest[r], most * scale), shrink = exp2f(b->highest[r] - now);
	for (int64_t n = 0; n < BLOCK_N; n++) {
		const float weight = n < seen ? exp2f(b->scores[r][n] * scale - now) : 0;

		sum += weight;
		b->scores[r][n] = rounded(weight);
	}
	for (int64_t c = 0; c < HEAD; c++)
		b->result[r][c] *= shrink;
	b->total[r] = b->total[r] * shrink + sum;
	b->highest[r] = now;
}

INLINE void add_values(float *restrict result, const float *restrict weights,
		       float (*restrict values)[HEAD])
{
	for (int64_t n = 0; n < BLOCK_N; n++)
		for (int64_t c = 0; c < HEAD; c++)
			result[c] += weights[n] * values[n][c];
}

/* Number of keys from `start` on that a query sees, of a block of keys. */
static int64_t seen_of(const struct head *h, int64_t query, int64_t start)
{
	const int64_t end = CAUSAL ? least(h->s, query + 1) : h->s;

	return end <= start ? 0 : least(end - start, BLOCK_N);
}

static void attend(struct sub_block *b, const struct head *h, int64_t first)
{
	const int64_t end = CAUSAL ? least(h->s, first + ROWS) : h->s,
		      rows = least(ROWS, h->s - first);

	begin(b, h, first);
	for (int64_t start = 0; start < end; start += BLOCK_N) {
		load_keys(b, h, start);
		for (int64_t r = 0; r < rows; r++) {
			const int64_t seen = seen_of(h, first + r, start);

			if (seen == 0)
				continue;
			score(b->scores[r], b->queries[r], b->keys);
			weigh(b, r, seen, h->scale);
			add_values(b->result[r], b->scores[r], b->values);
		}
	}
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < h->d; c++)
			element_store(h->out + (first + r) * h->d + c,
				      b->result[r][c] / b->total[r]);
}

static int64_t blocks_of_head(const union twin_argument *a)
{
	return (a[ARG_S].integer + BLOCK_M - 1) / BLOCK_M;
}

static void sdpa(const union twin_argument *a, int64_t program, int64_t programs)
{
	static __thread struct sub_block b;
	const int64_t s = a[ARG_S].integer, d = a[ARG_D].integer;

	for (int64_t block = program; block < a[ARG_BLOCKS].integer; block += programs) {
		const int64_t at = block / blocks_of_head(a) * s * d;
		const int64_t first = block % blocks_of_head(a) * BLOCK_M;
		const struct head h = {.q = (const element *)a[ARG_Q].address + at,
				       .k = (const element *)a[ARG_K].address + at,
				       .v = (const element *)a[ARG_V].address + at,
				       .out = (element *)a[ARG_OUT].address + at,
				       .s = s,
				       .d = d,
				       .scale = (float)a[ARG_SCALE].real};

		for (int64_t start = first; start < least(first + BLOCK_M, s); start += ROWS)
			attend(&b, &h, start);
	}
}

static void sdpa_work(const union twin_argument *a, int64_t program, int64_t programs,
		      struct twin_work *out)
{
	const int64_t s = a[ARG_S].integer;

	for (int64_t block = program; block < a[ARG_BLOCKS].integer; block += programs) {
		const int64_t first = block % blocks_of_head(a) * BLOCK_M;

		for (int64_t start = first; start < least(first + BLOCK_M, s); start += ROWS) {
			const int64_t end = CAUSAL ? least(s, start + ROWS) : s;
			const double steps = (double)((end + BLOCK_N - 1) / BLOCK_N),
				     pairs = steps * ROWS * BLOCK_N;

			out->steps += steps;
			out->read_bytes += (steps * 2 * BLOCK_N + ROWS) * HEAD * sizeof(element);
			out->written_bytes += (double)ROWS * HEAD * sizeof(element);
			out->cube_operations += 4 * pairs * HEAD;
			out->vector_operations += 8 * pairs + steps * 2 * ROWS * HEAD;
		}
	}
}

static int64_t sdpa_output(const union twin_argument *a, int64_t *partial_bytes)
{
	const int64_t heads = a[ARG_BLOCKS].integer / blocks_of_head(a),
		      row_bytes = a[ARG_D].integer * (int64_t)sizeof(element);

	*partial_bytes = a[ARG_S].integer % BLOCK_M * row_bytes;
	return heads * a[ARG_S].integer * row_bytes;
}

/* UB as on 950, which needs less than 910B. */
TWIN_BINARY({.name = "sdpa",
	     .mix_mode = "mix",
	     .arguments = "pppowwfq",
	     .run = sdpa,
	     .work = sdpa_work,
	     .output = sdpa_output,
	     .ub_bytes = 4 * BLOCK_SIZE_SUB * (BLOCK_N + HEAD),
	     .l0c_bytes = 4 * BLOCK_SIZE_SUB * (BLOCK_N > HEAD ? BLOCK_N : HEAD),
	     .pure = 1});
