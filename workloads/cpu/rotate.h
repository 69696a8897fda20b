/* Rotation of pairs of elements of heads in CPU kernels. */
#ifndef ASCTUNE_CPU_ROTATE_H
#define ASCTUNE_CPU_ROTATE_H

#include "rows.h"

#ifdef __clang__
#define INDEPENDENT PRAGMA(clang loop vectorize(assume_safety))
#else
#define INDEPENDENT PRAGMA(GCC ivdep)
#endif

/* Cosines and sines of the first and of the second elements of the pairs. */
struct angles {
	const element *cos, *sin, *second_cos, *second_sin;
};

INLINE vec rotate_first(vec a, vec b, vec cos, vec sin)
{
	return a * cos - b * sin;
}

INLINE vec rotate_second(vec a, vec b, vec cos, vec sin)
{
	return b * cos + a * sin;
}

/* Rotates x[i] with x[half + i], for i below half. out may be x. With PREFETCH, a build-stage
 * parameter, the next page is fetched. */
INLINE void rotate_halves(const element *x, struct angles t, element *out, int64_t half)
{
	enum { PAIR = 2 * LANES };
	const bool stream =
		STREAM && ((uintptr_t)out | (uintptr_t)(out + half)) % VECTOR_BYTES == 0;
	int64_t i = 0;
	for (; i + PAIR <= half; i += PAIR) {
		row_prefetch(x + i, PAGE_BYTES, PAIR * sizeof *x);
		row_prefetch(x + half + i, PAGE_BYTES, PAIR * sizeof *x);
		const struct pair a = element_pair_load(x + i, true),
				  b = element_pair_load(x + half + i, true),
				  c = element_pair_load(t.cos + i, true),
				  s = element_pair_load(t.sin + i, true),
				  d = element_pair_load(t.second_cos + i, true),
				  r = element_pair_load(t.second_sin + i, true);
		const struct pair first = {rotate_first(a.first, b.first, c.first, s.first),
					   rotate_first(a.second, b.second, c.second, s.second)};
		const struct pair second = {rotate_second(a.first, b.first, d.first, r.first),
					    rotate_second(a.second, b.second, d.second, r.second)};
		element_pair_store(out + i, first, true, stream);
		element_pair_store(out + half + i, second, true, stream);
	}
	for (; i < half; i += LANES) {
		const int64_t n = least(LANES, half - i);
		const vec a = element_vec_load_part(x + i, n),
			  b = element_vec_load_part(x + half + i, n);
		element_vec_store_part(out + i,
				       rotate_first(a, b, element_vec_load_part(t.cos + i, n),
						    element_vec_load_part(t.sin + i, n)),
				       n);
		element_vec_store_part(out + half + i,
				       rotate_second(a, b,
						     element_vec_load_part(t.second_cos + i, n),
						     element_vec_load_part(t.second_sin + i, n)),
				       n);
	}
}

/* Rotates x[2 i] with x[2 i + 1]. */
INLINE void rotate_neighbours(const element *x, const element *cos, const element *sin,
			      element *out, int64_t half)
{
	INDEPENDENT
	for (int64_t i = 0; i < half; i++) {
		const float a = element_load(x + 2 * i), b = element_load(x + 2 * i + 1),
			    c = element_load(cos + i), s = element_load(sin + i);
		element_store(out + 2 * i, a * c - b * s);
		element_store(out + 2 * i + 1, b * c + a * s);
	}
}

#endif
