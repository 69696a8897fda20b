/* out = silu(x a) (x b) in double: what reference.c computes, for matrices that take a CPU too
 * long. Each block makes a tile of SIDE x SIDE elements, each of its 16 x 16 threads 2 x 2 of them.
 */
enum { SIDE = 32, DEPTH = 16, STEP = 16, EACH = 2 };

/* Element (row, column) of a matrix of `rows` x `columns`; 0 outside. */
__device__ static double at(const double *m, long long row, long long column, long long rows,
			    long long columns)
{
	return row < rows && column < columns ? m[row * columns + column] : 0;
}

extern "C" __global__ void gated_mlp_reference(const double *x, const double *a, const double *b,
					       double *out, long long m, long long n, long long k)
{
	__shared__ double left[SIDE][DEPTH + 1], gate[DEPTH][SIDE + 1], value[DEPTH][SIDE + 1];
	const long long row = (long long)blockIdx.y * SIDE, column = (long long)blockIdx.x * SIDE;
	const int tx = threadIdx.x % STEP, ty = threadIdx.x / STEP;
	double gates[EACH][EACH] = {}, values[EACH][EACH] = {};

	for (long long depth = 0; depth < k; depth += DEPTH) {
		for (int i = 0; i < EACH; i++) {
			const int step = STEP * i;
			left[ty + step][tx] = at(x, row + ty + step, depth + tx, m, k);
			gate[ty][tx + step] = at(a, depth + ty, column + tx + step, k, n);
			value[ty][tx + step] = at(b, depth + ty, column + tx + step, k, n);
		}
		__syncthreads();
		for (int d = 0; d < DEPTH; d++)
			for (int i = 0; i < EACH; i++)
				for (int j = 0; j < EACH; j++) {
					gates[i][j] +=
						left[ty + STEP * i][d] * gate[d][tx + STEP * j];
					values[i][j] +=
						left[ty + STEP * i][d] * value[d][tx + STEP * j];
				}
		__syncthreads();
	}
	for (int i = 0; i < EACH; i++)
		for (int j = 0; j < EACH; j++)
			if (row + ty + STEP * i < m && column + tx + STEP * j < n)
				out[(row + ty + STEP * i) * n + column + tx + STEP * j] =
					gates[i][j] / (1 + exp(-gates[i][j])) * values[i][j];
}
