/* Reference on a GPU: in double what reference.c computes, for tensors that take a CPU too long. */
#include "../cuda/reference.h"

extern "C" __global__ void rms_norm_reference(const double *x, const double *weight, double *out,
					      long long rows, long long columns, double epsilon)
{
	each_row(rows, [=](long long row) {
		const double *const from = x + row * columns;
		const double squares = sum(columns, [=](long long i) { return from[i] * from[i]; });
		const double scale = 1 / sqrt(squares / (double)columns + epsilon);
		for (long long i = threadIdx.x; i < columns; i += THREADS)
			out[row * columns + i] = from[i] * scale * weight[i];
	});
}
