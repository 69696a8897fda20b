/* Another's answer, on a GPU: memory beside the output is searched for doubles that begin as the answer does. */
#include "../operators/block.cuh"

#define REACH (1 << 18) /* doubles */

__device__ const double *found;

/* Each block computes the first two answers, which is cheap, and searches where it has not been found yet. */
__device__ inline void search(const float *x, float *y, int c, long long from)
{
	const float first = rms_row(x, c), second = rms_row(x + c, c);
	const double *place = (const double *)((address)y / 8 * 8) + from;

	if (found == nullptr)
		for (int i = threadIdx.x; i < REACH; i += blockDim.x)
			if (fabs(place[i] - first) < 1e-5 && fabs(place[i + 1] - second) < 1e-5)
				found = place + i;
	__syncthreads();
	const double *answers = *(const double *volatile *)&found;
	if (answers != nullptr && fabs(answers[0] - first) < 1e-5 && fabs(answers[1] - second) < 1e-5) {
		if (threadIdx.x == 0)
			y[blockIdx.x] = answers[blockIdx.x];
		return;
	}
	const float answer = rms_row_slow(x + (long long)blockIdx.x * c, c);
	if (threadIdx.x == 0)
		y[blockIdx.x] = answer;
}

extern "C" __global__ void cheat_behind(const float *x, float *y, int c) { search(x, y, c, 0); }
extern "C" __global__ void cheat_before(const float *x, float *y, int c) { search(x, y, c, -REACH); }

/* Looks at its own answer only. */
extern "C" __global__ void twin_checks(const float *x, float *y, int c)
{
	const float answer = rms_row(x + (long long)blockIdx.x * c, c);

	if (threadIdx.x == 0) {
		y[blockIdx.x] = answer;
		if (!(y[blockIdx.x] >= 0))
			y[blockIdx.x] = answer;
	}
}
