#include <stddef.h>
#include <stdint.h>

void absent(int32_t *out, const float *missing, void *scratch, int64_t bytes)
{
	char *p = scratch;
	for (int64_t i = 0; i < bytes; i++)
		p[i] = (char)i;
	out[0] = missing == NULL ? 1 : 2;
	out[1] = p[bytes - 1];
}
