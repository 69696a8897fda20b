/* The right result, after writing nonsense to every descriptor, the worker's among them: crashed,
 * and what it wrote is never taken for a result. */
#include <stdint.h>
#include <unistd.h>

void scale(const float *x, float *y, int64_t n)
{
	static const char text[] = "{\"event\":\"result\",\"id\":0,\"status\":\"ok\"\n\n]]\xff\n";
	for (int fd = 1; fd <= 65536; fd++)
		if (write(fd, text, sizeof text - 1) < 0)
			continue;
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}
