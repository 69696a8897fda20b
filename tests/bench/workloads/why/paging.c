/* out = 2 * x + 1, by way of an array of twice x. The fault, FAULT 1: each call gets that array
 * from the system and gives it back. */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

void twice(const float *x, float *out, float *scratch, int64_t n, int64_t block)
{
	const size_t bytes = (size_t)n * sizeof *x;
	float *between = scratch + (FAULT ? 0 : block * n);

	if (FAULT) {
		between = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);
		if (between == MAP_FAILED)
			return;
	}
	for (int64_t i = 0; i < n; i++)
		between[i] = 2 * x[block * n + i];
	for (int64_t i = 0; i < n; i++)
		out[block * n + i] = between[i] + 1;
	if (FAULT)
		(void)munmap(between, bytes);
}
