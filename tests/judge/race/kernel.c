/* Right most of the time; twins add in the order in which threads come. */
#include <stdatomic.h>
#include <time.h>

#include "../operators/rms.h"

/* One launch of ONE_IN, drawn by the clock, has a wrong row. */
#ifndef ONE_IN
#define ONE_IN 100
#endif
/* So often all rows are computed: a launch that takes as long on caches that hold its inputs. */
#ifndef PASSES
#define PASSES 1
#endif
void cheat_seldom(const float *x, float *y, int64_t r, int64_t c)
{
	static uint64_t state;
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	state = (state + (uint64_t)t.tv_nsec) * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	for (int pass = 0; pass < PASSES; pass++) {
		rms_rows(x, y, 0, r, c);
		__asm__ volatile("" : : "r"(x), "r"(y) : "memory");
	}
	if ((state >> 33) % ONE_IN == 0)
		y[r / 2] *= 1.01f;
}

/* Has not put its state back when the next launch comes within a microsecond. */
void cheat_soon(const float *x, float *y, int64_t r, int64_t c)
{
	static int64_t ended;
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	const int64_t begun = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;

	rms_rows(x, y, 0, r, c);
	if (begun - ended < 1000)
		y[r / 2] *= 1.01f;
	clock_gettime(CLOCK_MONOTONIC, &t);
	ended = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Halves of all rows meet by counters that are no atomic ones: sometimes neither call is the
 * second. */
static float halves[2][RMS_ROWS];
static volatile int arrived[RMS_ROWS];

void cheat_counter(const float *x, float *y, int64_t r, int64_t c, int64_t half)
{
	for (int64_t i = 0; i < r; i++) {
		halves[half][i] = rms_squares(x + i * c + half * (c / 2), c / 2);
		if (arrived[i] == 1) {
			arrived[i] = 0;
			y[i] = rms_of_squares(halves[0][i] + halves[1][i], c);
		} else {
			arrived[i] = arrived[i] + 1;
		}
	}
}

static _Atomic float sums[RMS_ROWS];
static atomic_int added[RMS_ROWS];

static void add(_Atomic float *sum, float what)
{
	float before = atomic_load(sum);

	while (!atomic_compare_exchange_weak(sum, &before, before + what))
		;
}

/* Eight parts of each row are added as they come; who adds the last one writes the answer and
 * resets. */
void twin_atomic(const float *x, float *y, int64_t r, int64_t c, int64_t part)
{
	for (int64_t i = 0; i < r; i++) {
		add(&sums[i], rms_squares(x + i * c + part * (c / 8), c / 8));
		if (atomic_fetch_add(&added[i], 1) == 7) {
			y[i] = rms_of_squares(atomic_load(&sums[i]), c);
			atomic_store(&sums[i], 0);
			atomic_store(&added[i], 0);
		}
	}
}

/* Rows go to whichever thread comes. */
void twin_shared(const float *x, float *y, int64_t r, int64_t c, int64_t part)
{
	static _Atomic int64_t next, finished;

	(void)part;
	for (int64_t row; (row = atomic_fetch_add(&next, 1)) < r;)
		rms_rows(x, y, row, row + 1, c);
	if (atomic_fetch_add(&finished, 1) == 7) {
		atomic_store(&next, 0);
		atomic_store(&finished, 0);
	}
}
