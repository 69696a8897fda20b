/* Reference on a GPU: in double what reference.c computes, for tensors that take a CPU too long. */
#include "../cuda/reference.h"

extern "C" __global__ void geglu_reference(const double *a, const double *b, double *out, long long n)
{
	const double root = 0.79788456080286535588; /* sqrt(2 / pi) */
	each_element(n, [=](long long i) {
		const double x = a[i];
		out[i] = x / (1 + exp(-2 * root * (x + 0.044715 * x * x * x))) * b[i];
	});
}
