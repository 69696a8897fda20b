/* C = A B in double: what reference.c computes, for matrices that take a CPU too long. Each block
 * makes a tile of SIDE x SIDE elements, each of its 16 x 16 threads 4 x 4 of them. */
enum { SIDE = 64, DEPTH = 16, STEP = 16, EACH = 4 };

/* Element (row, column) of a matrix of `rows` x `columns`; 0 outside. */
__device__ static double at(const double *m, long long row, long long column, long long rows,
			    long long columns)
{
	return row < rows && column < columns ? m[row * columns + column] : 0;
}

extern "C" __global__ void gemm_reference(const double *a, const double *b, double *c, long long m,
					  long long n, long long k)
{
	__shared__ double left[SIDE][DEPTH + 1], right[DEPTH][SIDE + 1];
	const long long row = (long long)blockIdx.y * SIDE, column = (long long)blockIdx.x * SIDE;
	const int x = threadIdx.x % STEP, y = threadIdx.x / STEP;
	double sums[EACH][EACH] = {};

	for (long long depth = 0; depth < k; depth += DEPTH) {
		for (int i = 0; i < EACH; i++) {
			left[y + STEP * i][x] = at(a, row + y + STEP * i, depth + x, m, k);
			right[y][x + STEP * i] = at(b, depth + y, column + x + STEP * i, k, n);
		}
		__syncthreads();
		for (int d = 0; d < DEPTH; d++)
			for (int i = 0; i < EACH; i++)
				for (int j = 0; j < EACH; j++)
					sums[i][j] += left[y + STEP * i][d] * right[d][x + STEP * j];
		__syncthreads();
	}
	for (int i = 0; i < EACH; i++)
		for (int j = 0; j < EACH; j++)
			if (row + y + STEP * i < m && column + x + STEP * j < n)
				c[(row + y + STEP * i) * n + column + x + STEP * j] = sums[i][j];
}
