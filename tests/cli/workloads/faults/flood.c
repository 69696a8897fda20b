/* The right result and 8 MiB of text on stdout each time: ok, and nothing of it among asctune's
 * output. */
#include <stdint.h>
#include <stdio.h>

void scale(const float *x, float *y, int64_t n)
{
	static const char line[] =
		"this text is not meant for anybody's eyes .....................\n";
	for (int i = 0; i < (8 << 20) / (int)(sizeof line - 1); i++)
		fwrite(line, 1, sizeof line - 1, stdout);
	fflush(stdout);
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}
