/* Softmax of the rows of a matrix: out = exp(x - max(x)) / sum(exp(x - max(x))).
 *
 * A block of THREADS takes THREADS / LANES rows at a time, and others after them while there are
 * more rows than the grid has places. With ITEMS > 0 a thread keeps its ITEMS packs of VECTOR
 * elements in registers. With 0 they are read again, UNROLL at once: twice if ONLINE, where largest
 * element and sum are found together (Milakov & Gimelshein, arXiv:1805.02867), else three times.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, UNROLL, ONLINE. */
#include "../cuda/rows.h"

constexpr float kLog2e = 1.4426950408889634f;

__device__ float infinity()
{
	return __int_as_float(0x7f800000);
}

__device__ float power2(float x)
{
	float y;
	asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

__device__ float weight(element x, float largest)
{
	return power2((to_float(x) - largest) * kLog2e);
}

__device__ float pack_largest(const Pack &p)
{
	float most = to_float(p.at[0]);
#pragma unroll
	for (int i = 1; i < VECTOR; i++)
		most = fmaxf(most, to_float(p.at[i]));
	return most;
}

__device__ float pack_sum(const Pack &p, float largest)
{
	float sum = 0;
#pragma unroll
	for (int i = 0; i < VECTOR; i++)
		sum += weight(p.at[i], largest);
	return sum;
}

__device__ void pack_write(element *to, const Pack &p, float largest, float factor)
{
	Pack y;
#pragma unroll
	for (int i = 0; i < VECTOR; i++)
		y.at[i] = to_element(weight(p.at[i], largest) * factor);
	pack_store(to, y);
}

#if ITEMS > 0
__device__ void row_softmax(const element *x, element *out, int columns)
{
	const int first = threadIdx.x % LANES * VECTOR;
	Pack kept[ITEMS];
	float largest = -infinity(), sum = 0;

#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (first + i * LANES * VECTOR < columns) {
			kept[i] = pack_load(x + first + i * LANES * VECTOR);
			largest = fmaxf(largest, pack_largest(kept[i]));
		}
	largest = row_combine(largest, Largest());
#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (first + i * LANES * VECTOR < columns)
			sum += pack_sum(kept[i], largest);
	const float factor = 1 / row_combine(sum, Sum());
#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (first + i * LANES * VECTOR < columns)
			pack_write(out + first + i * LANES * VECTOR, kept[i], largest, factor);
}
#else
/* A thread that has seen no element has a sum of 0 and nothing to rescale. */
__device__ float row_sum_online(const element *x, int first, int columns, float &largest)
{
	float own = -infinity(), sum = 0;

#pragma unroll UNROLL
	for (int at = first; at < columns; at += LANES * VECTOR) {
		const Pack p = pack_load(x + at);
		const float most = fmaxf(own, pack_largest(p));
		sum = sum * power2((own - most) * kLog2e) + pack_sum(p, most);
		own = most;
	}
	largest = row_combine(own, Largest());
	return row_combine(sum > 0 ? sum * power2((own - largest) * kLog2e) : 0, Sum());
}

__device__ float row_sum_after(const element *x, int first, int columns, float &largest)
{
	float own = -infinity(), sum = 0;

#pragma unroll UNROLL
	for (int at = first; at < columns; at += LANES * VECTOR)
		own = fmaxf(own, pack_largest(pack_load(x + at)));
	largest = row_combine(own, Largest());
#pragma unroll UNROLL
	for (int at = first; at < columns; at += LANES * VECTOR)
		sum += pack_sum(pack_load(x + at), largest);
	return row_combine(sum, Sum());
}

__device__ void row_softmax(const element *x, element *out, int columns)
{
	const int first = threadIdx.x % LANES * VECTOR;
	float largest;
	const float sum = ONLINE ? row_sum_online(x, first, columns, largest)
				 : row_sum_after(x, first, columns, largest);
	const float factor = 1 / sum;

#pragma unroll UNROLL
	for (int at = first; at < columns; at += LANES * VECTOR)
		pack_write(out + at, pack_load(x + at), largest, factor);
}
#endif

/* Threads without a row go through the last one and store what is stored there anyway: all threads
 * of a block meet at its barriers. */
extern "C" __global__ void __launch_bounds__(THREADS)
	softmax(const element *x, element *out, long long rows, long long columns)
{
	for (long long first = blockIdx.x * (long long)kRows; first < rows;
	     first += gridDim.x * (long long)kRows) {
		const long long row = min(first + threadIdx.x / LANES, rows - 1);
		row_softmax(x + row * columns, out + row * columns, (int)columns);
	}
}
