/* Sums of W rows that begin at each row; a thread has four columns and ROWS rows. The fault, FAULT 1:
 * each sum reads its W rows out of L2, past L1; without it a sum is the one before, less the first of
 * its rows and with the next one. */
__device__ void add(float4 *sum, float4 v, float factor)
{
	sum->x += factor * v.x;
	sum->y += factor * v.y;
	sum->z += factor * v.z;
	sum->w += factor * v.w;
}

extern "C" __global__ void window_sums(const float4 *x, float4 *out, long long c, long long w)
{
	const long long columns = c / 4, thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const long long column = thread % columns, row = thread / columns * ROWS;
	float4 sum = make_float4(0, 0, 0, 0);

	for (int r = 0; r < ROWS; r++) {
		const float4 *first = x + (row + r) * columns + column;

		if (FAULT || r == 0) {
			sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
			for (int i = 0; i < w; i++)
				add(&sum, __ldcg(first + i * columns), 1);
		} else {
			add(&sum, first[(w - 1) * columns], 1);
			add(&sum, first[-columns], -1);
		}
		out[(row + r) * columns + column] = sum;
	}
}
