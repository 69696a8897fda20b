/* Adds up 0 .. 999 in a team of four threads where the compiler knows OpenMP, else in one. */
#include <stdint.h>

void team(int32_t *out)
{
	int32_t sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
	for (int32_t i = 0; i < 1000; i++)
		sum += i;
	*out = sum;
}
