/* Answers kept by launch number or moment; twins alternate between ways to compute the same. */
#include <time.h>

#include "../operators/rms.h"

static float answers[RMS_ROWS];

static void compute(const float *x, float *y, int64_t r, int64_t c)
{
	rms_slow(x, y, r, c);
	memcpy(answers, y, (size_t)r * sizeof(*y));
}

/* Computes in the first eight launches. */
void cheat_number(const float *x, float *y, int64_t r, int64_t c)
{
	static int launches;

	if (launches++ < 8)
		compute(x, y, r, c);
	else
		memcpy(y, answers, (size_t)r * sizeof(*y));
}

void cheat_second(const float *x, float *y, int64_t r, int64_t c)
{
	static unsigned launches;

	if (launches++ % 2 == 0)
		compute(x, y, r, c);
	else
		memcpy(y, answers, (size_t)r * sizeof(*y));
}

/* Computes where the launch before was long ago, as it is when outputs were looked at. */
void cheat_phase(const float *x, float *y, int64_t r, int64_t c)
{
	static int64_t before_ns;
	struct timespec t;
	int64_t now_ns;

	clock_gettime(CLOCK_MONOTONIC, &t);
	now_ns = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
	if (now_ns - before_ns > 1000000)
		compute(x, y, r, c);
	else
		memcpy(y, answers, (size_t)r * sizeof(*y));
	clock_gettime(CLOCK_MONOTONIC, &t);
	before_ns = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Goes up and down in turns, so that a launch begins where the one before ended. */
void twin_turns(const float *x, float *y, int64_t r, int64_t c)
{
	static unsigned launches;
	const int down = launches++ % 2;

	for (int64_t i = 0; i < r; i++)
		rms_rows(x, y, down ? r - 1 - i : i, down ? r - i : i + 1, c);
}

/* Two workspaces in turns. */
void twin_buffers(const float *x, float *y, int64_t r, int64_t c)
{
	static float sums[2][RMS_ROWS];
	static unsigned launches;
	float *const mine = sums[launches++ % 2];

	for (int64_t i = 0; i < r; i++)
		mine[i] = rms_squares(x + i * c, c);
	for (int64_t i = 0; i < r; i++)
		y[i] = rms_of_squares(mine[i], c);
}
