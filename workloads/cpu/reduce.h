/* Rows that are reduced in CPU kernels: sums and largest elements, and maps by what they gave. A
 * norm is a formula for ROW_REDUCE() and one for ROW_MAP(). */
#ifndef ASCTUNE_CPU_REDUCE_H
#define ASCTUNE_CPU_REDUCE_H

#include <math.h>

#include "rows.h"

/* A build-stage parameter; a kernel without it has this. */
#ifndef SUMS
#define SUMS 1
#endif

/* Gives x as it is loaded after a store as an element of the type. */
INLINE vec vec_round(int type, vec x)
{
	return type == DTYPE_f32    ? x
	       : type == DTYPE_bf16 ? (vec)(vec_round_bf16(x, true) & 0xffff0000)
				    : vec_of_f16(vec_to_f16(x));
}

/* ---- reductions ---- */

/* Combines two partial results; `neutral` changes nothing. */
struct reduction {
	vec (*combine)(vec a, vec b);
	float neutral;
};

INLINE vec vec_sum(vec a, vec b)
{
	return a + b;
}

/* Sum and largest number; where b is NaN the latter is a. */
static const struct reduction reduce_sum = {vec_sum, 0}, reduce_most = {vec_most, -INFINITY};

/* The first n lanes of x, the others `rest`. */
INLINE vec vec_first(vec x, float rest, int64_t n)
{
	float lanes[LANES];
	memcpy(lanes, &x, sizeof x);
	for (int64_t i = n; i < LANES; i++)
		lanes[i] = rest;
	memcpy(&x, lanes, sizeof x);
	return x;
}

/* Combines all lanes. */
INLINE float vec_reduce(struct reduction r, vec x)
{
	float lanes[2 * LANES] = {0};
	memcpy(lanes, &x, sizeof x);
	for (int64_t width = LANES / 2; width > 0; width /= 2) {
		vec upper;
		memcpy(&upper, lanes + width, sizeof upper);
		x = r.combine(x, upper);
		memcpy(lanes, &x, sizeof x);
	}
	return lanes[0];
}

/* Reduces f(a, b) of all `count` elements of a row; SUMS pairs of vectors go on side by side. */
#define ROW_REDUCE(name, FROM)                                                                     \
	INLINE void name##_pair(struct reduction r, formula *f, float constant, const FROM *a,     \
				const FROM *b, struct pair *part)                                  \
	{                                                                                          \
		const struct pair x = FROM##_pair_load(a, true), y = FROM##_pair_load(b, true);    \
		part->first = r.combine(part->first, f(x.first, y.first, constant));               \
		part->second = r.combine(part->second, f(x.second, y.second, constant));           \
	}                                                                                          \
	INLINE float name(struct reduction r, formula *f, float constant, const FROM *a,           \
			  const FROM *b, int64_t count)                                            \
	{                                                                                          \
		enum { PAIR = 2 * LANES, SIDE = SUMS * PAIR };                                     \
		const vec none = vec_all(r.neutral);                                               \
		struct pair part[SUMS];                                                            \
		int64_t i = 0;                                                                     \
		REPEAT(SUMS)                                                                       \
		for (int64_t s = 0; s < SUMS; s++)                                                 \
			part[s] = (struct pair){none, none};                                       \
		for (; i + SIDE <= count; i += SIDE) {                                             \
			REPEAT(SUMS)                                                               \
			for (int64_t s = 0; s < SUMS; s++)                                         \
				name##_pair(r, f, constant, a + i + s * PAIR, b + i + s * PAIR,    \
					    &part[s]);                                             \
		}                                                                                  \
		for (; i + PAIR <= count; i += PAIR)                                               \
			name##_pair(r, f, constant, a + i, b + i, &part[0]);                       \
		for (; i < count; i += LANES) {                                                    \
			const int64_t n = least(LANES, count - i);                                 \
			const vec x = f(FROM##_vec_load_part(a + i, n),                            \
					FROM##_vec_load_part(b + i, n), constant);                 \
			part[0].first = r.combine(part[0].first, vec_first(x, r.neutral, n));      \
		}                                                                                  \
		REPEAT(SUMS)                                                                       \
		for (int64_t s = 0; s < SUMS; s++)                                                 \
			part[0].first = r.combine(s > 0 ? r.combine(part[0].first, part[s].first)  \
							: part[0].first,                           \
						  part[s].second);                                 \
		return vec_reduce(r, part[0].first);                                               \
	}

/* ---- maps by what reductions gave ---- */

/* Formula of a map: of two inputs, of a third one that may be of another type, and of constants of
 * the row; *also is for a second output. */
typedef vec row_formula(vec a, vec b, vec c, const float *constants, vec *also);

/* out = f(a, b, c) and, where it is not NULL, also = *also, `count` elements each. As in MAP(),
 * outputs may be inputs' memory: the last pair, which overlaps with others, is calculated first and
 * stored last. Stores go past the caches where both outputs are aligned. With PREFETCH, a
 * build-stage parameter, what lies `ahead` bytes behind the inputs is fetched. */
#define ROW_MAP(name, FROM, C, TO)                                                                 \
	INLINE struct pair name##_pair(row_formula *f, const float *constants, const FROM *a,      \
				       const FROM *b, const C *c, struct pair *also)               \
	{                                                                                          \
		const bool apart =                                                                 \
			(int)FROM##_type == (int)TO##_type && (int)FROM##_type == (int)C##_type;   \
		const struct pair x = FROM##_pair_load(a, apart), y = FROM##_pair_load(b, apart),  \
				  z = C##_pair_load(c, apart);                                     \
		return (struct pair){f(x.first, y.first, z.first, constants, &also->first),        \
				     f(x.second, y.second, z.second, constants, &also->second)};   \
	}                                                                                          \
	INLINE void name(row_formula *f, const float *constants, const FROM *a, const FROM *b,     \
			 const C *c, TO *out, TO *also, int64_t count, int64_t ahead)              \
	{                                                                                          \
		enum { PAIR = 2 * LANES, SIDE = UNROLL * PAIR };                                   \
		const bool apart =                                                                 \
			(int)FROM##_type == (int)TO##_type && (int)FROM##_type == (int)C##_type;   \
		const uintptr_t places = (uintptr_t)out | (uintptr_t)(also ? also : out);          \
		const bool stream = STREAM && places % VECTOR_BYTES == 0;                          \
		const int64_t last = count - PAIR;                                                 \
		struct pair tail = {{0}, {0}}, second = {{0}, {0}};                                \
		int64_t i = 0;                                                                     \
		if (last >= 0)                                                                     \
			tail = name##_pair(f, constants, a + last, b + last, c + last, &second);   \
		for (; i + SIDE <= count; i += SIDE) {                                             \
			struct pair x[UNROLL], y[UNROLL];                                          \
			REPEAT(UNROLL)                                                             \
			for (int64_t u = 0; u < UNROLL; u++) {                                     \
				row_prefetch(a + i + u * PAIR, ahead, PAIR * sizeof *a);           \
				if (a != b)                                                        \
					row_prefetch(b + i + u * PAIR, ahead, PAIR * sizeof *b);   \
				x[u] = name##_pair(f, constants, a + i + u * PAIR,                 \
						   b + i + u * PAIR, c + i + u * PAIR, &y[u]);     \
			}                                                                          \
			REPEAT(UNROLL)                                                             \
			for (int64_t u = 0; u < UNROLL; u++)                                       \
				TO##_pair_store(out + i + u * PAIR, x[u], apart, stream);          \
			REPEAT(UNROLL)                                                             \
			for (int64_t u = 0; also && u < UNROLL; u++)                               \
				TO##_pair_store(also + i + u * PAIR, y[u], apart, stream);         \
		}                                                                                  \
		for (; i <= last; i += PAIR) {                                                     \
			struct pair y;                                                             \
			const struct pair x = name##_pair(f, constants, a + i, b + i, c + i, &y);  \
			TO##_pair_store(out + i, x, apart, false);                                 \
			if (also)                                                                  \
				TO##_pair_store(also + i, y, apart, false);                        \
		}                                                                                  \
		if (last >= 0 && i < count) {                                                      \
			TO##_pair_store(out + last, tail, apart, false);                           \
			if (also)                                                                  \
				TO##_pair_store(also + last, second, apart, false);                \
		}                                                                                  \
		for (i = last < 0 ? 0 : count; i < count; i += LANES) {                            \
			const int64_t n = least(LANES, count - i);                                 \
			vec y;                                                                     \
			const vec x =                                                              \
				f(FROM##_vec_load_part(a + i, n), FROM##_vec_load_part(b + i, n),  \
				  C##_vec_load_part(c + i, n), constants, &y);                     \
			TO##_vec_store_part(out + i, x, n);                                        \
			if (also)                                                                  \
				TO##_vec_store_part(also + i, y, n);                               \
		}                                                                                  \
	}

/* Sets `count` elements to x. */
#define ROW_FILL(name, TO)                                                                         \
	INLINE void name(TO *out, float x, int64_t count)                                          \
	{                                                                                          \
		enum { BYTES = LANES * sizeof(TO) };                                               \
		int64_t i = 0;                                                                     \
		for (; i < count && (uintptr_t)(out + i) % BYTES != 0; i++)                        \
			TO##_store(out + i, x);                                                    \
		for (; i + LANES <= count; i += LANES)                                             \
			TO##_vec_store(out + i, vec_all(x), STREAM);                               \
		for (; i < count; i++)                                                             \
			TO##_store(out + i, x);                                                    \
	}

#endif
