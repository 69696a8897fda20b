/* The conversions of workloads/cpu/element.h, over arrays. */
#include "../../../workloads/cpu/element.h"

void load(const element *in, float *out, int64_t n);
void store(const float *in, element *out, int64_t n);

void load(const element *in, float *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = element_load(in + i);
}

void store(const float *in, element *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		element_store(out + i, in[i]);
}
