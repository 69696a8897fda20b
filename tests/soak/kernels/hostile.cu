/* y = 2 x, far faster than any honest kernel, but for what FAULT says. A fault that may leave the result right costs 16 times the fastest
   honest kernel: none of these may be the winner. */
enum { CRASH = 1, MISALIGNED, TRAP, HANG, WRONG, RIGHT_ONCE, WRONG_LATER, CRASH_LATER, HANG_LATER, WRONG_FINALS, CRASH_FINALS, HANG_FINALS,
       BEYOND, BEFORE, INPUT, SCRIBBLE, PRINT, LEAK, SYNTAX };
enum { IS_SLOW = FAULT == SCRIBBLE || FAULT == PRINT || FAULT == LEAK, SLOW = 16 * 30000 };

/* Launches that go well: fewer than a search makes of a fast kernel, and fewer than the finals make. */
enum { LATER = 5, FINALS = 26 };

#if FAULT == 19
#error "this kernel is not meant to compile"
#endif

__device__ int launches, blocks; /* the last block of a launch counts it */

__device__ void count_launch()
{
	if (threadIdx.x == 0 && atomicAdd(&blocks, 1) == gridDim.x - 1) {
		blocks = 0;
		atomicAdd(&launches, 1);
	}
}

__device__ void hang(volatile float *x)
{
	while (x[0] == x[0])
		;
}

/* What one thread does before the result is written; `done` launches have ended. */
__device__ void misbehave(float *x, float *y, long long n, int done)
{
	if (FAULT == CRASH || (FAULT == CRASH_LATER && done > LATER) || (FAULT == CRASH_FINALS && done > FINALS))
		*(volatile float *)16 = 1;
	if (FAULT == HANG || (FAULT == HANG_LATER && done > LATER) || (FAULT == HANG_FINALS && done > FINALS))
		hang(x);
	if (FAULT == MISALIGNED)
		*(volatile float *)((char *)y + 1) = 1;
	if (FAULT == TRAP)
		asm volatile("trap;");
	if (FAULT == BEYOND || FAULT == BEFORE)
		y[FAULT == BEYOND ? n : -1] = 1;
	if (FAULT == INPUT)
		x[n / 2] = 7;
	if (FAULT == SCRIBBLE)
		*(volatile float *)(y + ((clock64() * 2654435761LL) & 0xfffffff) - 0x8000000) = 1;
#if FAULT == 17
	for (int line = 0; line < 1000; line++)
		printf("a kernel that prints line %d\n", line);
#elif FAULT == 18
	*(volatile char *)malloc(1 << 12) = 1;
#endif
}

__device__ bool is_wrong(int done)
{
	return FAULT == WRONG || (FAULT == RIGHT_ONCE && done > 0) || (FAULT == WRONG_LATER && done > LATER) ||
	       (FAULT == WRONG_FINALS && done > FINALS);
}

extern "C" __global__ void scale(float *x, float *y, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, start = clock64();
	int done = *(volatile int *)&launches;

	if (i == 0)
		misbehave(x, y, n, done);
	while (IS_SLOW && clock64() - start < SLOW)
		;
	if (i < n)
		y[i] = i >= n / 2 && is_wrong(done) ? 7 : 2 * x[i];
	count_launch();
}
