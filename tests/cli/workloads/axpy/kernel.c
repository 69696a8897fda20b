/* out = alpha x + y in blocks of BLOCK elements, one call per block. Small and quick to compile:
 * for tests of the command line. */
#include <stdint.h>

#define PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define REPEAT(n) PRAGMA(clang loop unroll_count(n))
#else
#define REPEAT(n) PRAGMA(GCC unroll n)
#endif

void axpy(const float *x, const float *y, float *out, int64_t n, float alpha, int64_t block_x)
{
	const int64_t first = block_x * BLOCK;
	const int64_t end = first + BLOCK < n ? first + BLOCK : n;
	REPEAT(UNROLL)
	for (int64_t i = first; i < end; i++)
		out[i] = alpha * x[i] + y[i];
}
