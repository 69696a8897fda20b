/* Rows of elements in CPU kernels: vectors of floats, loaded from elements and stored as elements,
 * and maps, which apply a formula to the elements of the rows.
 *
 * ELEMENT_VECTORS(name) makes name_vec_load() and name_vec_store() for a type of element.h;
 * `element` has them. MAP(name, FROM, TO) makes a map of that name. A call of a kernel takes
 * `block` elements of the m rows of n, in the order of the rows: it walks over the parts of rows
 * that these are. An output may be an input's memory, element by element, so no pointer is
 * `restrict`. */
#ifndef ASCTUNE_CPU_ROWS_H
#define ASCTUNE_CPU_ROWS_H

#include <stdbool.h>

#include "element.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else /* SSE2, NEON, and whatever the compiler makes of 16 bytes elsewhere */
#define VECTOR_BYTES 16
#endif

/* Build-stage parameters; a kernel without one of them has these. */
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef STREAM
#define STREAM 0
#endif
#ifndef PREFETCH
#define PREFETCH 0
#endif

enum { LANES = VECTOR_BYTES / 4 };

typedef float vec __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t vec_int __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t vec_bits __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t vec_half __attribute__((vector_size(VECTOR_BYTES / 2)));

#define PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define REPEAT(n) PRAGMA(clang loop unroll_count(n))
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define REPEAT(n) PRAGMA(GCC unroll n)
#endif

INLINE int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

INLINE vec vec_all(float x)
{
	return x - (vec){0};
}

/* a where the mask's bits are set, elsewhere b. */
INLINE vec vec_select(vec_int mask, vec a, vec b)
{
	return (vec)(((vec_int)a & mask) | ((vec_int)b & ~mask));
}

INLINE vec_bits bits_select(vec_int mask, vec_bits a, vec_bits b)
{
	return (a & (vec_bits)mask) | (b & ~(vec_bits)mask);
}

/* The greater and the lesser of both; NaN where a is NaN. x86 has an instruction for each, which
 * gives its second operand where one is NaN. */
#if defined(__AVX512F__) && defined(__clang__)
#define HARDWARE_MOST(a, b)  ((vec)__builtin_ia32_maxps512(b, a, 4))
#define HARDWARE_LEAST(a, b) ((vec)__builtin_ia32_minps512(b, a, 4))
#elif defined(__AVX512F__)
#define HARDWARE_MOST(a, b)  ((vec)__builtin_ia32_maxps512_mask(b, a, a, -1, 4))
#define HARDWARE_LEAST(a, b) ((vec)__builtin_ia32_minps512_mask(b, a, a, -1, 4))
#elif defined(__AVX__)
#define HARDWARE_MOST(a, b)  ((vec)__builtin_ia32_maxps256(b, a))
#define HARDWARE_LEAST(a, b) ((vec)__builtin_ia32_minps256(b, a))
#elif defined(__SSE__)
#define HARDWARE_MOST(a, b)  ((vec)__builtin_ia32_maxps(b, a))
#define HARDWARE_LEAST(a, b) ((vec)__builtin_ia32_minps(b, a))
#else
#define HARDWARE_MOST(a, b)  vec_select((a) < (b), b, a)
#define HARDWARE_LEAST(a, b) vec_select((a) > (b), b, a)
#endif

INLINE vec vec_most(vec a, vec b)
{
	return HARDWARE_MOST(a, b);
}

INLINE vec vec_least(vec a, vec b)
{
	return HARDWARE_LEAST(a, b);
}

/* ---- halves: bf16_load() to small_store() of element.h, lane by lane ---- */

INLINE vec vec_of_bf16(vec_half codes)
{
	return (vec)(__builtin_convertvector(codes, vec_bits) << 16);
}

/* The upper half of each lane is the rounded number, the lower one is waste. `quiet`: NaNs are
 * known to be quiet and without low bits, as those are that come of numbers of 16 bits: adding to
 * them leaves them NaN. */
INLINE vec_bits vec_round_bf16(vec x, bool quiet)
{
	const vec_bits bits = (vec_bits)x, sum = bits + (0x7fff + ((bits >> 16) & 1));
	return quiet ? sum : bits_select(x == x, sum, bits | 0x400000);
}

INLINE vec_half vec_to_bf16(vec x)
{
	return __builtin_convertvector(vec_round_bf16(x, false) >> 16, vec_half);
}

#if defined(__AVX512FP16__) || defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)
typedef _Float16 vec_f16 __attribute__((vector_size(VECTOR_BYTES / 2)));

INLINE vec vec_of_f16(vec_half codes)
{
	return __builtin_convertvector((vec_f16)codes, vec);
}

INLINE vec_half vec_to_f16(vec x)
{
	return (vec_half) __builtin_convertvector(x, vec_f16);
}
#else
INLINE vec vec_of_f16(vec_half codes)
{
	const vec_bits bits = __builtin_convertvector(codes, vec_bits), code = bits & 0x7fff;
	const vec_bits special = (vec_bits)(code > small_f16.largest) & 0x7f800000;
	const vec scaled = (vec)(code << 13) * bits_float((127U + 112) << 23);
	return (vec)((vec_bits)scaled | special | (bits & 0x8000) << 16);
}

INLINE vec_half vec_to_f16(vec x)
{
	const vec_bits bits = (vec_bits)x & 0x7fffffff, sign = (vec_bits)x >> 31;
	const vec_bits half = 0xfff + ((bits >> 13) & 1);
	const vec_bits normal = (bits - (112U << 23) + half) >> 13;
	const vec_bits subnormal = (vec_bits)((vec)bits + 0.5F) - float_bits(0.5F);
	const vec_bits finite = bits_select(bits < 113U << 23, subnormal, normal);
	const vec_bits number = bits_select(finite > 0x7c00, (vec_bits){0} + 0x7c00, finite);
	const vec_bits code =
		bits_select(bits > 0x7f800000, (vec_bits){0} + small_f16.not_a_number, number);
	return __builtin_convertvector(code | sign << 15, vec_half);
}
#endif

/* ---- vectors in memory ---- */

/* Stores that go past the caches, to an address that the size divides: the old content of the line
 * is not read, and what is read again stays cached. STREAM_END() orders them before all else that
 * other threads see. */
typedef long long vec_words __attribute__((vector_size(VECTOR_BYTES), may_alias));
#if defined(__clang__)
#define STREAM_WHOLE(to, x) __builtin_nontemporal_store(x, to)
#define STREAM_HALF(to, x)  __builtin_nontemporal_store(x, to)
#elif VECTOR_BYTES == 64
typedef long long half_words __attribute__((vector_size(32), may_alias));
#define STREAM_WHOLE(to, x) __builtin_ia32_movntdq512((vec_words *)(to), (vec_words)(x))
#define STREAM_HALF(to, x)  __builtin_ia32_movntdq256((half_words *)(to), (half_words)(x))
#elif VECTOR_BYTES == 32
typedef long long half_words __attribute__((vector_size(16), may_alias));
#define STREAM_WHOLE(to, x) __builtin_ia32_movntdq256((vec_words *)(to), (vec_words)(x))
#define STREAM_HALF(to, x)  __builtin_ia32_movntdq((half_words *)(to), (half_words)(x))
#elif defined(__x86_64__)
#define STREAM_WHOLE(to, x) __builtin_ia32_movntdq((vec_words *)(to), (vec_words)(x))
#define STREAM_HALF(to, x)  __builtin_ia32_movnti64((long long *)(to), (long long)(x))
#else
#define STREAM_WHOLE(to, x) (*(to) = (x))
#define STREAM_HALF(to, x)  (*(to) = (x))
#endif
#if defined(__x86_64__)
#define STREAM_END() __builtin_ia32_sfence()
#else
#define STREAM_END() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

struct pair {
	vec first, second;
};

/* Loads and stores of LANES elements, of the first `n` of them, n < LANES, the other lanes being 0,
 * and of twice LANES. `stream`: past the caches. `apart`: bf16 that become bf16 again are taken as
 * the lower and the upper halves of 32 bits, which saves shuffling them. */
#define ELEMENT_VECTORS(name)                                                                      \
	INLINE vec name##_vec_load(const name *from)                                               \
	{                                                                                          \
		vec_half codes;                                                                    \
		vec x;                                                                             \
		if (sizeof(name) == 4) {                                                           \
			memcpy(&x, from, sizeof x);                                                \
			return x;                                                                  \
		}                                                                                  \
		memcpy(&codes, from, sizeof codes);                                                \
		return name##_type == DTYPE_bf16 ? vec_of_bf16(codes) : vec_of_f16(codes);         \
	}                                                                                          \
	INLINE void name##_vec_store(name *to, vec x, bool stream)                                 \
	{                                                                                          \
		if (sizeof(name) == 4) {                                                           \
			if (stream)                                                                \
				STREAM_WHOLE((vec *)to, x);                                        \
			else                                                                       \
				memcpy(to, &x, sizeof x);                                          \
			return;                                                                    \
		}                                                                                  \
		const vec_half codes = name##_type == DTYPE_bf16 ? vec_to_bf16(x) : vec_to_f16(x); \
		if (stream)                                                                        \
			STREAM_HALF((vec_half *)to, codes);                                        \
		else                                                                               \
			memcpy(to, &codes, sizeof codes);                                          \
	}                                                                                          \
	INLINE vec name##_vec_load_part(const name *from, int64_t n)                               \
	{                                                                                          \
		name part[LANES] = {0};                                                            \
		for (int64_t i = 0; i < n; i++)                                                    \
			part[i] = from[i];                                                         \
		return name##_vec_load(part);                                                      \
	}                                                                                          \
	INLINE void name##_vec_store_part(name *to, vec x, int64_t n)                              \
	{                                                                                          \
		name part[LANES];                                                                  \
		name##_vec_store(part, x, false);                                                  \
		for (int64_t i = 0; i < n; i++)                                                    \
			to[i] = part[i];                                                           \
	}                                                                                          \
	INLINE struct pair name##_pair_load(const name *from, bool apart)                          \
	{                                                                                          \
		vec_bits codes;                                                                    \
		if (!apart || name##_type != DTYPE_bf16)                                           \
			return (struct pair){name##_vec_load(from),                                \
					     name##_vec_load(from + LANES)};                       \
		memcpy(&codes, from, sizeof codes);                                                \
		return (struct pair){(vec)(codes << 16), (vec)(codes & 0xffff0000)};               \
	}                                                                                          \
	INLINE void name##_pair_store(name *to, struct pair x, bool apart, bool stream)            \
	{                                                                                          \
		if (!apart || name##_type != DTYPE_bf16) {                                         \
			name##_vec_store(to, x.first, stream);                                     \
			name##_vec_store(to + LANES, x.second, stream);                            \
			return;                                                                    \
		}                                                                                  \
		const vec_bits codes = vec_round_bf16(x.first, true) >> 16 |                       \
				       (vec_round_bf16(x.second, true) & 0xffff0000);              \
		if (stream)                                                                        \
			STREAM_WHOLE((vec_bits *)to, codes);                                       \
		else                                                                               \
			memcpy(to, &codes, sizeof codes);                                          \
	}

ELEMENT_VECTORS(element)

/* Fetches the elements of a pair that lies `distance` bytes behind it: the next row's, while one
 * row is calculated and stored, or, in maps, the next page's, at which the machine's own fetching
 * ends. What is not there is not fetched. */
enum { PAGE_BYTES = 4096 };

INLINE void row_prefetch(const void *pair, int64_t distance, int64_t bytes)
{
	const uintptr_t next = (uintptr_t)pair + (uintptr_t)distance;
	for (int64_t i = 0; PREFETCH && i < bytes; i += 64)
		__builtin_prefetch((const char *)next + i, 0, 2);
}

/* ---- maps ---- */

/* Formula of a map: of an element of each input; `constant` is the same for all. */
typedef vec formula(vec a, vec b, float constant);

/* out = f(a, b), `count` elements; an operand that the formula has no use for may be any of them.
 * UNROLL pairs of vectors go on side by side, STREAM stores them past the caches, and PREFETCH
 * fetches the inputs: all three are build-stage parameters. The first and the last pair are not
 * aligned and overlap with others; they are calculated first and stored last, because their inputs
 * may be where the output is. */
#define MAP(name, FROM, TO)                                                                        \
	INLINE struct pair name##_pair(formula *f, float constant, const FROM *a, const FROM *b)   \
	{                                                                                          \
		const bool apart = (int)FROM##_type == (int)TO##_type;                             \
		const struct pair x = FROM##_pair_load(a, apart), y = FROM##_pair_load(b, apart);  \
		return (struct pair){f(x.first, y.first, constant),                                \
				     f(x.second, y.second, constant)};                             \
	}                                                                                          \
	INLINE void name##_few(formula *f, float constant, const FROM *a, const FROM *b, TO *out,  \
			       int64_t count)                                                      \
	{                                                                                          \
		const int64_t last = count - LANES;                                                \
		if (last < 0) {                                                                    \
			const vec x = FROM##_vec_load_part(a, count);                              \
			const vec y = FROM##_vec_load_part(b, count);                              \
			TO##_vec_store_part(out, f(x, y, constant), count);                        \
			return;                                                                    \
		}                                                                                  \
		const vec head = f(FROM##_vec_load(a), FROM##_vec_load(b), constant);              \
		const vec tail =                                                                   \
			f(FROM##_vec_load(a + last), FROM##_vec_load(b + last), constant);         \
		TO##_vec_store(out, head, false);                                                  \
		TO##_vec_store(out + last, tail, false);                                           \
	}                                                                                          \
	INLINE void name(formula *f, float constant, const FROM *a, const FROM *b, TO *out,        \
			 int64_t count)                                                            \
	{                                                                                          \
		enum { PAIR = 2 * LANES, SIDE = UNROLL * PAIR };                                   \
		const bool apart = (int)FROM##_type == (int)TO##_type;                             \
		const int64_t last = count - PAIR;                                                 \
		if (last < 0) {                                                                    \
			name##_few(f, constant, a, b, out, count);                                 \
			return;                                                                    \
		}                                                                                  \
		const struct pair head = name##_pair(f, constant, a, b);                           \
		const struct pair tail = name##_pair(f, constant, a + last, b + last);             \
		int64_t i = STREAM ? (int64_t)(-(uintptr_t)out % VECTOR_BYTES / sizeof(TO)) : 0;   \
		for (; i + SIDE <= count; i += SIDE) {                                             \
			struct pair x[UNROLL];                                                     \
			REPEAT(UNROLL)                                                             \
			for (int64_t u = 0; u < UNROLL; u++) {                                     \
				row_prefetch(a + i + u * PAIR, PAGE_BYTES, PAIR * sizeof *a);      \
				if (a != b)                                                        \
					row_prefetch(b + i + u * PAIR, PAGE_BYTES,                 \
						     PAIR * sizeof *b);                            \
				x[u] = name##_pair(f, constant, a + i + u * PAIR,                  \
						   b + i + u * PAIR);                              \
			}                                                                          \
			REPEAT(UNROLL)                                                             \
			for (int64_t u = 0; u < UNROLL; u++)                                       \
				TO##_pair_store(out + i + u * PAIR, x[u], apart, STREAM);          \
		}                                                                                  \
		for (; i <= last; i += PAIR)                                                       \
			TO##_pair_store(out + i, name##_pair(f, constant, a + i, b + i), apart,    \
					false);                                                    \
		TO##_pair_store(out, head, apart, false);                                          \
		TO##_pair_store(out + last, tail, apart, false);                                   \
	}

/* Copies bytes, whatever they are, as a map does. */
INLINE void bytes_copy(void *out, const void *in, int64_t count)
{
	char *to = out;
	const char *from = in;
	const int64_t last = count - VECTOR_BYTES;
	vec_words head, tail, x;
	if (last < 0) {
		memcpy(to, from, (size_t)count);
		return;
	}
	memcpy(&head, from, sizeof head);
	memcpy(&tail, from + last, sizeof tail);
	for (int64_t i = STREAM ? (int64_t)(-(uintptr_t)to % VECTOR_BYTES) : 0; i <= last;
	     i += VECTOR_BYTES) {
		row_prefetch(from + i, PAGE_BYTES, VECTOR_BYTES);
		memcpy(&x, from + i, sizeof x);
		if (STREAM)
			STREAM_WHOLE((vec_words *)(to + i), x);
		else
			memcpy(to + i, &x, sizeof x);
	}
	memcpy(to, &head, sizeof head);
	memcpy(to + last, &tail, sizeof tail);
}

/* The part of a row that a call is at: `count` elements of row `row` from `column` on. */
struct walk {
	int64_t n, next, end;
	int64_t row, column, count;
};

/* Begins at a call's first part. `gapless`: in no operand there is anything between the rows, which
 * then are one. */
INLINE struct walk walk_begin(int64_t m, int64_t n, bool gapless, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block;
	return (struct walk){
		.n = gapless ? m * n : n, .next = first, .end = least(first + block, m * n)};
}

/* Goes to the next part; false: there is none. */
INLINE bool walk_next(struct walk *w)
{
	if (w->next >= w->end) {
		if (STREAM)
			STREAM_END();
		return false;
	}
	w->row = w->next / w->n;
	w->column = w->next - w->row * w->n;
	w->count = least(w->n - w->column, w->end - w->next);
	w->next += w->count;
	return true;
}

/* Index of the part's first element, where `stride` elements lie from one row to the next. */
INLINE int64_t walk_at(const struct walk *w, int64_t stride)
{
	return w->row * stride + w->column;
}

#endif
