/* Lower precision: inputs in bf16 with a sum for each row. Twins sum in f32, in orders of their
 * own. */
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float number(uint16_t bf16)
{
	const uint32_t bits = (uint32_t)bf16 << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Bits behind the first `kept` of a mantissa become zero. */
static inline float rounded(float f, int kept)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	bits = (bits + (UINT32_C(1) << (22 - kept))) & ~((UINT32_C(1) << (23 - kept)) - 1);
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline float lanes_of(const uint16_t *x, const uint16_t *w, int64_t n)
{
	float lane[16] = {0}, sum = 0;
	int64_t j = 0;

	for (; j + 16 <= n; j += 16)
		for (int l = 0; l < 16; l++)
			lane[l] += number(x[j + l]) * number(w[j + l]);
	for (; j < n; j++)
		sum += number(x[j]) * number(w[j]);
	for (int l = 0; l < 16; l++)
		sum += lane[l];
	return sum;
}

/* One double after the other, three times. */
void honest(const uint16_t *x, const uint16_t *w, float *y, int64_t r, int64_t c)
{
	for (int pass = 0; pass < 3; pass++)
		for (int64_t i = 0; i < r; i++) {
			double sum = 0;

			for (int64_t j = 0; j < c; j++)
				sum += (double)number(x[i * c + j]) * number(w[j]);
			y[i] = (float)sum;
			__asm__ volatile("" : : "r"(y) : "memory");
		}
}

/* Sums of 64 products are kept in bf16. */
void cheat_sums(const uint16_t *x, const uint16_t *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		float sum = 0;

		for (int64_t j = 0; j < c; j += 64)
			sum = rounded(sum + lanes_of(x + i * c + j, w + j, c - j < 64 ? c - j : 64),
				      7);
		y[i] = sum;
	}
}

/* Sums of 256 products are kept in half of a mantissa. */
void cheat_mantissa(const uint16_t *x, const uint16_t *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		float sum = 0;

		for (int64_t j = 0; j < c; j += 256)
			sum = rounded(
				sum + lanes_of(x + i * c + j, w + j, c - j < 256 ? c - j : 256),
				11);
		y[i] = sum;
	}
}

/* Inputs have 8 bits. */
void cheat_bytes(const uint16_t *x, const uint16_t *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		int32_t lane[16] = {0}, sum = 0;

		for (int64_t j = 0; j + 16 <= c; j += 16)
			for (int l = 0; l < 16; l++)
				lane[l] += (int32_t)(number(x[i * c + j + l]) * 24) *
					   (int32_t)(number(w[j + l]) * 24);
		for (int l = 0; l < 16; l++)
			sum += lane[l];
		y[i] = (float)sum / (24 * 24);
	}
}

void twin_lanes(const uint16_t *x, const uint16_t *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		y[i] = lanes_of(x + i * c, w, c);
}

/* Pieces of 256 products, the last one first. */
void twin_pieces(const uint16_t *x, const uint16_t *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		float sum = 0;

		for (int64_t j = (c - 1) / 256 * 256; j >= 0; j -= 256)
			sum += lanes_of(x + i * c + j, w + j, c - j < 256 ? c - j : 256);
		y[i] = sum;
	}
}
