/* @NAME@: out = x + y, one call for each block of BLOCK elements; THREADS threads share the calls.
 *
 * Change: what is computed, here and in reference.c. Each build-stage parameter of @NAME@.json is a
 * macro of its name here; the function's arguments are those of its "arguments", in order. */
#include <stdint.h>

#define PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define REPEAT(n) PRAGMA(clang loop unroll_count(n))
#else
#define REPEAT(n) PRAGMA(GCC unroll n)
#endif

void kernel(const float *x, const float *y, float *out, int64_t n, int64_t block)
{
	const int64_t first = block * BLOCK;
	const int64_t end = first + BLOCK < n ? first + BLOCK : n;

	REPEAT(UNROLL)
	for (int64_t i = first; i < end; i++)
		out[i] = x[i] + y[i];
}
