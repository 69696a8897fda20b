/* The mask that CANN's masked_fill takes. */
#include <stdint.h>

/* 1 where a key is not seen: row i of q sees the keys 0 to k - q + i. */
void causal_mask(double *out, int64_t n, uint64_t seed, int64_t q, int64_t k)
{
	(void)seed;
	for (int64_t i = 0; i < n; i++)
		out[i] = i % k > k - q + i / k;
}
