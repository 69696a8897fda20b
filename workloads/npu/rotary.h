/* Twins of rotary embeddings (python/rotary.py): blocks are BLOCK_H heads of a token, of the query
 * or of the key. */
#ifndef NPU_ROTARY_H
#define NPU_ROTARY_H

#include "../cpu/element.h"
#include "twin.h"

struct rotary_side { /* the query or the key */
	const element *x;
	element *out;
	int64_t heads, stride, out_stride;
};

struct rotary {
	struct rotary_side sides[2];
	int64_t d, pairs, second; /* second: from a pair's angle to that of its second element */
	int64_t blocks;
};

/* Takes a kernel's arguments: those of heads from `numbers` on. */
INLINE struct rotary rotary_take(const element *query, const element *key, element *query_out,
				 element *key_out, const union twin_argument *numbers,
				 int64_t second)
{
	const union twin_argument *a = numbers;

	return (struct rotary){{{query, query_out, a[0].integer, a[4].integer, a[6].integer},
				{key, key_out, a[1].integer, a[5].integer, a[7].integer}},
			       a[2].integer,
			       a[3].integer,
			       second,
			       a[8].integer};
}

INLINE int64_t rotary_groups(int64_t heads)
{
	return (heads + BLOCK_H - 1) / BLOCK_H;
}

INLINE int64_t rotary_all_groups(const struct rotary *r)
{
	return rotary_groups(r->sides[0].heads) + rotary_groups(r->sides[1].heads);
}

INLINE void rotary_head(const struct rotary *r, const element *x, element *out,
			const element *cosines, const element *sines)
{
	for (int64_t pair = 0; pair < r->pairs; pair++) {
		const int64_t i = INTERLEAVED ? 2 * pair : pair,
			      j = INTERLEAVED ? i + 1 : pair + r->pairs;
		const float left = element_load(x + i), right = element_load(x + j);

		element_store(out + i, left * element_load(cosines + pair) -
					       right * element_load(sines + pair));
		element_store(out + j, right * element_load(cosines + pair + r->second) +
					       left * element_load(sines + pair + r->second));
	}
	for (int64_t i = 2 * r->pairs; i < r->d && OTHERS > 0; i++)
		out[i] = x[i];
}

/* Rotates one block, a group of heads of a token. */
INLINE void rotary_block(const struct rotary *r, int64_t token, int64_t group,
			 const element *cosines, const element *sines)
{
	const int64_t queries = rotary_groups(r->sides[0].heads);
	const struct rotary_side *s = &r->sides[group >= queries];
	const int64_t first = (group < queries ? group : group - queries) * BLOCK_H,
		      end = first + BLOCK_H < s->heads ? first + BLOCK_H : s->heads;

	for (int64_t head = first; head < end; head++)
		rotary_head(r, s->x + token * s->stride + head * r->d,
			    s->out + token * s->out_stride + head * r->d, cosines, sines);
}

INLINE void rotary_work(const struct rotary *r, int64_t program, int64_t programs,
			struct twin_work *out)
{
	const double own = (double)((r->blocks - program + programs - 1) / programs),
		     bytes = own * BLOCK_H * (double)r->d * sizeof(element);

	out->steps = own;
	out->read_bytes = bytes + own * 2 * (double)r->pairs * sizeof(element);
	out->written_bytes = bytes;
	out->vector_operations = own * BLOCK_H * (double)r->pairs * 6;
}

/* Bytes of query_out from its first element to its last one. */
INLINE int64_t rotary_output(const struct rotary *r, int64_t *partial_bytes)
{
	const struct rotary_side *s = &r->sides[0];
	const int64_t size = sizeof(element), tokens = r->blocks / rotary_all_groups(r);

	*partial_bytes = s->heads % BLOCK_H * r->d * size;
	return ((tokens - 1) * s->out_stride + s->heads * r->d) * size;
}

#endif
