/* y = 2 x, by the units of arithmetic or by memory. A head that is to be slower has more turns, for each
 * size of its own. Numbers that the compiler must not know are arguments: `half` is 0.5. */

#define TURNS(size) 10000 /* of every ten thousand */

/* Each thread has a chain of operations that each wait for the one before. */
extern "C" __global__ void chain(const float *x, float *y, long long n, long long work, float half)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const int turns = (int)(work * TURNS(work) / 10000);
	float chain = half;

	for (int k = 0; k < turns; k++)
		chain = fmaf(chain, half, 1);
	if (i < n)
		y[i] = chain > 3 ? 0 : 2 * x[i]; /* the limit is 2 */
}

/* Further turns begin at the first element again, which the caches have lost by then. */
extern "C" __global__ void stream(const float4 *x, float4 *y, long long n)
{
	const long long step = (long long)gridDim.x * blockDim.x, all = n / 4;
	const long long turns = all * TURNS(n) / 10000;

	for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < turns; k += step) {
		const long long i = k < all ? k : k - all;
		const float4 v = x[i];

		y[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
	}
}
