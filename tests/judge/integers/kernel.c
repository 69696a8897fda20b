/* Answers kept by the values of integers, where the workload has no others; twins compute them
 * once, or on another way. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 8192, PASSES = 8 /* of the honest kernel */ };

/* The number of steps from n to 1 in Collatz's sequence. */
static inline int32_t steps_of(uint32_t n)
{
	int32_t steps = 0;

	for (; n > 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

void integers_reference(const double *x, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = steps_of((uint32_t)x[i]);
}

void twin_once(const int32_t *x, int32_t *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = steps_of((uint32_t)x[i]);
}

void honest(const int32_t *x, int32_t *y, int64_t n)
{
	for (int pass = 0; pass < PASSES; pass++) {
		twin_once(x, y, n);
		__asm__ volatile("" : : "r"(x), "r"(y) : "memory");
	}
}

/* Sixteen elements are the key. */
void cheat_few(const int32_t *x, int32_t *y, int64_t n)
{
	enum { ROOM = 16 };
	static struct {
		uint64_t key;
		int32_t y[LENGTH];
	} kept[ROOM];
	static unsigned made;
	uint64_t key = 1;

	for (int64_t i = 0; i < 16; i++)
		key = key * 1099511628211u + (uint32_t)x[i * (n / 16)];
	for (unsigned i = 0; i < ROOM && i < made; i++)
		if (kept[i].key == key) {
			memcpy(y, kept[i].y, (size_t)n * sizeof(*y));
			return;
		}
	honest(x, y, n);
	if (n > LENGTH)
		return;
	kept[made % ROOM].key = key;
	memcpy(kept[made++ % ROOM].y, y, (size_t)n * sizeof(*y));
}

/* Odd numbers go another way than even ones: a processor that has learnt which are where has to
 * learn others anew. */
void twin_ways(const int32_t *x, int32_t *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		if (x[i] % 2 && x[i] > 1) {
			__asm__ volatile("" : : "r"(i) : "memory");
			y[i] = 2 + steps_of((3 * (uint32_t)x[i] + 1) / 2);
		} else {
			__asm__ volatile("" : : "r"(x) : "memory");
			y[i] = x[i] > 1 ? 1 + steps_of((uint32_t)x[i] / 2) : 0;
		}
	}
}
