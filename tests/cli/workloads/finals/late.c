/* y = 2 x; from its third launch beside others that are loaded, which is in the finals, it aborts
 * (FAULT 1), writes what is wrong (2) or never ends (3). */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int loaded(int change)
{
	const char *text = getenv("LOADED");
	int n = (text ? atoi(text) : 0) + change;
	char now[2] = {(char)('0' + n), 0};

	setenv("LOADED", now, 1);
	return n;
}

__attribute__((constructor)) static void load(void)
{
	loaded(1);
}

__attribute__((destructor)) static void unload(void)
{
	loaded(-1);
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void scale(const float *x, float *y, int64_t n)
{
	const int64_t end = now() + (FAULT ? 1000000 : 1200000);
	static int launches;
	const int late = loaded(0) > 2 && ++launches > 2;

	if (FAULT == 1 && late)
		abort();
	for (int64_t i = 0; i < n; i++)
		y[i] = FAULT == 2 && late ? 0 : 2 * x[i];
	while (now() < end || (FAULT == 3 && late))
		;
}
