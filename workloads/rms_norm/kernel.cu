/* Root-mean-square normalisation of the rows of a matrix: out = x / sqrt(mean(x^2) + epsilon) w.
 *
 * A block of THREADS takes THREADS / LANES rows at a time, and others after them while there are
 * more rows than the grid has places. With ITEMS > 0 a thread keeps its ITEMS packs of VECTOR
 * elements in registers; with 0 they are read a second time, UNROLL at once.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, UNROLL. */
#include "../cuda/rows.h"

__device__ float pack_squares(const Pack &p)
{
	float sum = 0;
#pragma unroll
	for (int i = 0; i < VECTOR; i++)
		sum += to_float(p.at[i]) * to_float(p.at[i]);
	return sum;
}

__device__ void pack_scale(element *to, const Pack &x, const element *weight, float scale)
{
	const Pack w = pack_load(weight);
	Pack y;
#pragma unroll
	for (int i = 0; i < VECTOR; i++)
		y.at[i] = to_element(to_float(x.at[i]) * scale * to_float(w.at[i]));
	pack_store(to, y);
}

__device__ float row_scale(float squares, int columns, float epsilon)
{
	return rsqrtf(row_combine(squares, Sum()) / columns + epsilon);
}

#if ITEMS > 0
__device__ void row_normalize(const element *x, const element *weight, element *out, int columns,
			      float epsilon)
{
	const int first = threadIdx.x % LANES * VECTOR;
	Pack kept[ITEMS];
	float squares = 0;

#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (first + i * LANES * VECTOR < columns) {
			kept[i] = pack_load(x + first + i * LANES * VECTOR);
			squares += pack_squares(kept[i]);
		}
	const float scale = row_scale(squares, columns, epsilon);
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		const int at = first + i * LANES * VECTOR;
		if (at < columns)
			pack_scale(out + at, kept[i], weight + at, scale);
	}
}
#else
__device__ void row_normalize(const element *x, const element *weight, element *out, int columns,
			      float epsilon)
{
	const int first = threadIdx.x % LANES * VECTOR;
	float squares = 0;

#pragma unroll UNROLL
	for (int at = first; at < columns; at += LANES * VECTOR)
		squares += pack_squares(pack_load(x + at));
	const float scale = row_scale(squares, columns, epsilon);
#pragma unroll UNROLL
	for (int at = first; at < columns; at += LANES * VECTOR)
		pack_scale(out + at, pack_load(x + at), weight + at, scale);
}
#endif

/* Threads without a row go through the last one, whose sums they do not touch, and store what is
 * stored there anyway: all threads of a block meet at its barriers. */
extern "C" __global__ void __launch_bounds__(THREADS)
	rms_norm(const element *x, const element *weight, element *out, long long rows,
		 long long columns, float epsilon)
{
	for (long long first = blockIdx.x * (long long)kRows; first < rows;
	     first += gridDim.x * (long long)kRows) {
		const long long row = min(first + threadIdx.x / LANES, rows - 1);
		row_normalize(x + row * columns, weight, out + row * columns, (int)columns,
			      epsilon);
	}
}
