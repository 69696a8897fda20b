/* Attention in double: what reference.c computes, for sequences that take a CPU too long. A block
 * has ROWS queries of one head and goes over the keys, ROWS at a time; 8 threads share a query. The
 * weights are relative to the largest score so far, and what was summed before is scaled down when
 * that grows. Dynamic shared memory: 8 * (2 * ROWS * (d + 1) + ROWS * ROWS) bytes, d at most 256. */
enum { ROWS = 32, LANES = 8, EACH = ROWS / LANES, DEPTHS = 256 / LANES, THREADS = ROWS * LANES };

/* Loads rows first .. first + ROWS - 1 of a matrix of s x d; zeros outside. */
__device__ static void load(double *to, const double *from, long long first, long long s, long long d)
{
	for (long long i = threadIdx.x; i < ROWS * d; i += THREADS) {
		long long row = first + i / d;

		to[i / d * (d + 1) + i % d] = row < s ? from[row * d + i % d] : 0;
	}
}

extern "C" __global__ void sdpa_reference(const double *q, const double *k, const double *v,
					  double *out, long long s, long long d, bool causal,
					  double scale)
{
	extern __shared__ double shared[];
	double *queries = shared, *keys = queries + ROWS * (d + 1), *weights = keys + ROWS * (d + 1);
	const long long head = (long long)blockIdx.y * s * d, first = (long long)blockIdx.x * ROWS;
	const int row = threadIdx.x / LANES, lane = threadIdx.x % LANES;
	const double none = -__longlong_as_double(0x7ff0000000000000);
	const long long end = causal && first + ROWS < s ? first + ROWS : s;
	double sums[DEPTHS] = {}, top = none, all = 0;

	load(queries, q + head, first, s, d);
	for (long long key = 0; key < end; key += ROWS) {
		double highest = top;

		__syncthreads();
		load(keys, k + head, key, s, d);
		__syncthreads();
		for (int j = 0; j < EACH; j++) {
			const int column = lane + LANES * j;
			const long long last = causal ? first + row : s - 1;
			double score = 0;

#pragma unroll 4
			for (long long i = 0; i < d; i++)
				score += queries[row * (d + 1) + i] * keys[column * (d + 1) + i];
			weights[row * ROWS + column] = key + column <= last ? scale * score : none;
		}
		__syncthreads();
		load(keys, v + head, key, s, d);
		for (int j = 0; j < ROWS; j++)
			highest = fmax(highest, weights[row * ROWS + j]);
		__syncthreads();
		for (int j = 0; j < EACH; j++)
			weights[row * ROWS + lane + LANES * j] =
				exp(weights[row * ROWS + lane + LANES * j] - highest);
		__syncthreads();
		const double shrink = exp(top - highest);
		all *= shrink;
		for (int j = 0; j < ROWS; j++)
			all += weights[row * ROWS + j];
#pragma unroll
		for (int i = 0; i < DEPTHS; i++) {
			if (lane + LANES * i >= d)
				break;
			sums[i] *= shrink;
#pragma unroll 4
			for (int j = 0; j < ROWS; j++)
				sums[i] += weights[row * ROWS + j] * keys[j * (d + 1) + lane + LANES * i];
		}
		top = highest;
	}
#pragma unroll
	for (int i = 0; i < DEPTHS; i++)
		if (first + row < s && lane + LANES * i < d)
			out[head + (first + row) * d + lane + LANES * i] = sums[i] / all;
}
