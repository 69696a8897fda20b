/* Reference on a GPU: in double what reference.c computes, for tensors that take a CPU too long. */
#include "../cuda/reference.h"

extern "C" __global__ void cat_reference(const double *a, const double *b, const double *c,
					 const double *d, double *out, long long rows, long long n0,
					 long long n1, long long n2, long long n3)
{
	const long long n = n0 + n1 + n2 + n3;
	each_element(rows * n, [=](long long i) {
		const long long row = i / n;
		long long at = i % n;
		const double *from = a + row * n0;
		if (at >= n0) {
			at -= n0;
			from = b + row * n1;
			if (at >= n1) {
				at -= n1;
				from = at < n2 ? c + row * n2 : d + row * n3;
				at -= at < n2 ? 0 : n2;
			}
		}
		out[i] = from[at];
	});
}
