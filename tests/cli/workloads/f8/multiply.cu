#if DTYPE_T == DTYPE_f8e4m3
#define PAIR "e4m3x2"
#else
#define PAIR "e5m2x2"
#endif

__device__ float to_float(CTYPE_T x)
{
	unsigned halves;
	float out;

	asm("cvt.rn.f16x2." PAIR " %0, %1;" : "=r"(halves) : "h"((unsigned short)x));
	asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"((unsigned short)halves));
	return out;
}

__device__ CTYPE_T to_code(float x)
{
	unsigned short codes;

	asm("cvt.rn.satfinite." PAIR ".f32 %0, %1, %2;" : "=h"(codes) : "f"(0.0f), "f"(x));
	return (CTYPE_T)codes;
}

/* FAULT 1 rounds to zero, 2 leaves one element out, 3 writes NaN. */
extern "C" __global__ void multiply(const CTYPE_T *x, const CTYPE_T *w, float *wide, CTYPE_T *y,
				    long long n)
{
	const long long i = blockIdx.x * n + threadIdx.x;
	const float product = to_float(x[i]) * to_float(w[threadIdx.x]);
	CTYPE_T code = to_code(product);
	const float rounded = to_float(code);

	wide[i] = product;
	if (FAULT == 2 && i == 37)
		return;
	if (FAULT == 1 && rounded * rounded > product * product)
		code--;
	y[i] = FAULT == 3 ? 0xff : code;
}
