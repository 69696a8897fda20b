// Two kernels for t-cubin_code.c, one of which keeps more numbers than it may have registers. steps-75.cubin is of NVRTC 12.4, steps-90.cubin of
// 12.9, steps-120.cubin of 13.5, each with --gpu-architecture=sm_75 (sm_90, sm_120) -lineinfo -maxrregcount=32.
extern "C" __global__ void scale(const float *x, float *y, float a, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = a * x[i] + y[i];
}

extern "C" __global__ void keep(const float *x, float *y, int n)
{
	__shared__ float first[4];
	float kept[40];

	if (threadIdx.x < 4)
		first[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 40; k++)
		kept[k] = x[k * 32 + threadIdx.x];
	for (int i = 0; i < n; i++)
#pragma unroll
		for (int k = 0; k < 40; k++)
			kept[k] = kept[k] * kept[(k + 1) % 40] + first[i & 3];
#pragma unroll
	for (int k = 0; k < 40; k++)
		y[k * 32 + threadIdx.x] = kept[k];
}
