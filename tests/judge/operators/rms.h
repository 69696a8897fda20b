/* Root mean square of each row of x[r, c], in C: `honest`, which takes its time, and what the
 * kernels of the families are made of. */
#ifndef ASCTUNE_JUDGE_RMS_H
#define ASCTUNE_JUDGE_RMS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	RMS_LANES = 16,
	RMS_PASSES = 12, /* of the honest kernel: each cheat is faster than that */
	RMS_ROWS = 1024, /* most rows whose answers a kernel keeps */
};

static inline float rms_of_squares(float sum, int64_t n)
{
	return sqrtf(sum / (float)n + 1e-6f);
}

static inline float rms_squares(const float *x, int64_t n)
{
	float lane[RMS_LANES] = {0}, sum = 0;
	int64_t i = 0;

	for (; i + RMS_LANES <= n; i += RMS_LANES)
		for (int l = 0; l < RMS_LANES; l++)
			lane[l] += x[i + l] * x[i + l];
	for (; i < n; i++)
		sum += x[i] * x[i];
	for (int l = 0; l < RMS_LANES; l++)
		sum += lane[l];
	return sum;
}

static inline void rms_rows(const float *x, float *y, int64_t first, int64_t end, int64_t c)
{
	for (int64_t i = first; i < end; i++)
		y[i] = rms_of_squares(rms_squares(x + i * c, c), c);
}

/* Computes everything RMS_PASSES times. */
static inline void rms_slow(const float *x, float *y, int64_t r, int64_t c)
{
	for (int pass = 0; pass < RMS_PASSES; pass++) {
		rms_rows(x, y, 0, r, c);
		__asm__ volatile("" : : "r"(x), "r"(y) : "memory");
	}
}

/* Answers kept under a key, the oldest given up first. */
struct rms_kept {
	uint64_t key;
	int full;
	float y[RMS_ROWS];
};

/* Writes the answers of `key`: those kept, else computed slowly and kept from then on. */
static inline void rms_keep(struct rms_kept *kept, unsigned n, uint64_t key, const float *x,
			    float *y, int64_t r, int64_t c)
{
	static unsigned next;
	struct rms_kept *k;

	for (unsigned i = 0; i < n; i++)
		if (kept[i].full && kept[i].key == key) {
			memcpy(y, kept[i].y, (size_t)r * sizeof(*y));
			return;
		}
	k = &kept[next++ % n];
	rms_slow(x, y, r, c);
	memcpy(k->y, y, (size_t)r * sizeof(*y));
	k->key = key;
	k->full = 1;
}

static inline uint32_t rms_bits(float number)
{
	uint32_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

void honest(const float *x, float *y, int64_t r, int64_t c);
void honest(const float *x, float *y, int64_t r, int64_t c)
{
	rms_slow(x, y, r, c);
}

#endif
