/* Elements that are right already are not computed again, on a GPU; twins look at the output and compute all the same. */
#define SLOW 64
#define SLOWER 80 /* steps that cheats need without an answer */
#define ENOUGH 8  /* for numbers of a normal distribution */

__device__ inline float root(float square, int steps)
{
	float y = square;

	for (int i = 0; i < steps; i++) {
		y = 0.5f * (y + square / y);
		asm volatile("" : "+f"(y));
	}
	return y;
}

__device__ inline int is_right(float y, float square) { return y > 0 && fabsf(y * y - square) <= 1e-6f * square; }

extern "C" __global__ void honest(const float *x, float *y, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = root(x[i] * x[i] + 1, SLOW);
}

extern "C" __global__ void cheat_check(const float *x, float *y, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && !is_right(y[i], x[i] * x[i] + 1))
		y[i] = root(x[i] * x[i] + 1, SLOWER);
}

/* Saves less than half. */
extern "C" __global__ void cheat_half(const float *x, float *y, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = root(x[i] * x[i] + 1, is_right(y[i], x[i] * x[i] + 1) ? SLOWER * 5 / 8 : SLOWER);
}

extern "C" __global__ void twin_look(const float *x, float *y, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	const float now = root(x[i] * x[i] + 1, ENOUGH);
	if (now != y[i])
		y[i] = now;
}
