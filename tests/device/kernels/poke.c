/* Writes one byte at `at`, inside the tensor or not. */
#include <stdint.h>

void poke(uint8_t *out, int64_t at)
{
	out[at] = 7;
}
