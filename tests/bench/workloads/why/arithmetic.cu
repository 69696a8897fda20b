/* 1 + x + x^2 + ... of K terms, four elements a thread. The fault, FAULT 1: term by term; without it
 * the sum is (1 - x^K) / (1 - x). */
__device__ float sum(float x, int terms)
{
	float power = 1, factor = x;

	for (int i = terms; i; i /= 2, factor *= factor)
		power = i % 2 ? power * factor : power;
	return (1 - power) / (1 - x);
}

extern "C" __global__ void series(const float4 *x, float4 *out, long long terms)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const float4 v = x[i];
	float4 s = make_float4(0, 0, 0, 0);

	if (FAULT) {
#pragma unroll 8
		for (int t = 0; t < (int)terms; t++)
			s = make_float4(fmaf(s.x, v.x, 1.0f), fmaf(s.y, v.y, 1.0f), fmaf(s.z, v.z, 1.0f),
					fmaf(s.w, v.w, 1.0f));
	} else {
		s = make_float4(sum(v.x, terms), sum(v.y, terms), sum(v.z, terms), sum(v.w, terms));
	}
	out[i] = s;
}
