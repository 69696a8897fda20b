/* Configurations of a program that can verify nothing, each in its way. */
#include <stdint.h>
#include <stdlib.h>

static int launches;

void crash(float *y, int64_t *i, int64_t n)
{
	(void)y, (void)i, (void)n;
	abort();
}

void beyond(float *y, int64_t *i, int64_t n)
{
	(void)i;
	for (int64_t k = 0; k <= n; k++)
		y[k] = 1;
}

/* A sum into an output that it does not clear. */
void adds(float *y, int64_t *i, int64_t n)
{
	(void)i;
	for (int64_t k = 0; k < n; k++)
		y[k] += 1;
}

/* Other numbers in each launch, as an order of additions by chance. */
void chance(float *y, int64_t *i, int64_t n)
{
	(void)i;
	for (int64_t k = 0; k < n; k++)
		y[k] = 1 + (k == 5 ? (float)(launches % 3) * 0.125F : 0);
	launches++;
}

void drift(float *y, int64_t *i, int64_t n)
{
	(void)i;
	for (int64_t k = 0; k < n; k++)
		y[k] = 1 + (k == 5 ? (float)(launches % 3) * 0x1p-12F : 0);
	launches++;
}

void wide(float *y, int64_t *i, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		y[k] = 1;
	for (int64_t k = 0; k < n; k++)
		i[k] = (INT64_C(1) << 53) + k;
}
