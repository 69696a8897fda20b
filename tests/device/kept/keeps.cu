/* y = 2 x, with what KEEPS says kept from one launch to the next:
     0  nothing
     1  a variable that begins as zero: right only where that is zero, and it is none at the end
     2  one that begins as 2, the factor, which is another one at the end
     3  a counter, which the last block sets back
     4  memory of the device's heap
     5  a table of answers in variables: a launch that finds it there computes nothing
     6  the same in scratch memory */
#define TURNS 8000 /* of a loop without which a launch is done soon: below 0.1 ms, or it is slow */
#define MAGIC 0x600d

#if KEEPS
__device__ unsigned blocks_done;
__device__ int launches;
__device__ float factor = 2;
#endif
#if KEEPS == 5
__device__ float table[100003];
__device__ int is_there;
#endif

/* x itself, which takes a while. */
__device__ static float slowly(float x, long long n)
{
	const float add = (float)n;
	float sum = 0;

	for (int k = 0; k < TURNS; k++)
		sum = sum * 0.5f + add;
	return sum < 0 ? 0 : x;
}

extern "C" __global__ void keeps(const float *x, float *y, float *scratch, long long n)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	bool last = false;

#if KEEPS == 0
	if (i < n)
		y[i] = 2 * x[i];
#elif KEEPS == 1
	if (i < n)
		y[i] = launches ? 3 * x[i] : 2 * x[i];
#elif KEEPS == 2
	if (i < n)
		y[i] = factor * x[i];
#elif KEEPS == 3
	if (i < n)
		y[i] = 2 * x[i];
#elif KEEPS == 4
	float *mine = (float *)malloc(sizeof(float));

	if (i < n && mine) {
		*mine = 2 * x[i];
		y[i] = *mine;
	} else if (i < n) {
		y[i] = 2 * x[i];
	}
	free(mine);
#elif KEEPS == 5
	const bool known = *(volatile int *)&is_there;

	if (i < n)
		y[i] = known ? table[i] : (table[i] = 2 * slowly(x[i], n));
#elif KEEPS == 6
	int *mark = (int *)scratch + n;
	const bool known = *(volatile int *)mark == MAGIC;

	if (i < n)
		y[i] = known ? scratch[i] : (scratch[i] = 2 * slowly(x[i], n));
#endif
#if KEEPS
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
	if (!last)
		return;
	blocks_done = 0;
#if KEEPS == 1
	launches++;
#elif KEEPS == 2
	factor = 3;
#elif KEEPS == 5
	is_there = 1;
#elif KEEPS == 6
	*mark = MAGIC;
#endif
#endif
}
