/* What follows two matrix products, out = silu(gates) values, of sums in float: each thread takes
 * VECTOR elements. `count` is a multiple of VECTOR. Build-stage parameters: THREADS of a block,
 * VECTOR. */
#include "../cuda/rows.h"

struct alignas(VECTOR < 4 ? 4 * VECTOR : 16) Sums {
	float at[VECTOR];
};

/* z / (1 + 2^(-log2(e) z)); where the power is infinite, -0. */
__device__ float silu(float z)
{
	float power;
	asm("ex2.approx.f32 %0, %1;" : "=f"(power) : "f"(-1.44269504F * z));
	return z / (1 + power);
}

extern "C" __global__ void gate(const float *gates, const float *values, element *out,
				long long count)
{
	const long long at = ((long long)blockIdx.x * THREADS + threadIdx.x) * VECTOR;
	if (at >= count)
		return;
	const Sums gate = *(const Sums *)(gates + at), value = *(const Sums *)(values + at);
	Pack p;
#pragma unroll
	for (int i = 0; i < VECTOR; i++)
		p.at[i] = to_element(silu(gate.at[i]) * value.at[i]);
	pack_store(out + at, p);
}
