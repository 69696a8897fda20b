/* y = 2 x; from its third launch in a process on, once others have been loaded beside it, which is
 * in the finals, it aborts (FAULT 1), writes what is wrong (2) or never ends (3): alone, too. The
 * file that FINALS_MARK names says that the finals have begun. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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

static int in_finals(void)
{
	const char *mark = getenv("FINALS_MARK");

	if (loaded(0) > 2)
		close(open(mark, O_CREAT | O_WRONLY, 0600));
	return access(mark, F_OK) == 0;
}

void scale(const float *x, float *y, int64_t n)
{
	const int64_t end = now() + (FAULT ? 1000000 : 1200000);
	static int launches;
	const int late = FAULT && in_finals() && ++launches > 2;

	if (FAULT == 1 && late)
		abort();
	for (int64_t i = 0; i < n; i++)
		y[i] = FAULT == 2 && late ? 0 : 2 * x[i];
	while (now() < end || (FAULT == 3 && late))
		;
}
