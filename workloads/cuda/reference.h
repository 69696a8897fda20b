/* Parts of references in double that a GPU computes, for tensors that take a CPU too long: element
 * by element in any grid, rows by a block of THREADS each. */
#ifndef ASCTUNE_CUDA_REFERENCE_H
#define ASCTUNE_CUDA_REFERENCE_H

enum { THREADS = 256 };

template <class Formula> __device__ void each_element(long long n, Formula formula)
{
	for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
	     i += gridDim.x * (long long)blockDim.x)
		formula(i);
}

/* Calls formula(row) for a block's rows, all threads together. */
template <class Formula> __device__ void each_row(long long rows, Formula formula)
{
	for (long long row = blockIdx.x; row < rows; row += gridDim.x)
		formula(row);
}

/* Combines formula(column) of all columns, for all threads of the block. */
template <class Formula, class Combine>
__device__ double combined(long long columns, double start, Formula formula, Combine combine)
{
	__shared__ double parts[THREADS];
	double own = start;

	for (long long i = threadIdx.x; i < columns; i += THREADS)
		own = combine(own, formula(i));
	__syncthreads(); /* the last parts have been read */
	parts[threadIdx.x] = own;
	__syncthreads();
	for (int i = 0; i < THREADS; i++)
		start = combine(start, parts[i]);
	return start;
}

template <class Formula> __device__ double sum(long long columns, Formula formula)
{
	return combined(columns, 0, formula, [](double a, double b) { return a + b; });
}

__device__ double silu(double z)
{
	return z / (1 + exp(-z));
}

/* Softmax of the first `seen` columns; the others get 0, NaN where the sum is none. */
__device__ void row_softmax(const double *x, double *out, long long columns, long long seen)
{
	const double none = -__longlong_as_double(0x7ff0000000000000);
	const double top = combined(
		seen, none, [=](long long i) { return x[i]; },
		[](double a, double b) { return b > a ? b : a; });
	const double all = sum(seen, [=](long long i) { return exp(x[i] - top); });
	for (long long i = threadIdx.x; i < columns; i += THREADS)
		out[i] = (i < seen ? exp(x[i] - top) : 0) / all;
}

/* Element i of a head of d, whose first r are rotated: those of the halves by each other, or
 * neighbours. cosine(j) and sine(j) are those of element j of a head. */
template <class Cosine, class Sine>
__device__ double rotated(const double *x, long long i, long long r, bool neox, Cosine cosine,
			  Sine sine)
{
	if (i >= r)
		return x[i];
	const bool second = neox ? i >= r / 2 : i % 2 == 1;
	const long long other = second ? i - (neox ? r / 2 : 1) : i + (neox ? r / 2 : 1);
	return x[i] * cosine(i) + (second ? 1 : -1) * x[other] * sine(i);
}

#endif
