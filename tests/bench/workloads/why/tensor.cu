/* Tiles of 64 rows of A times transposed B (128 columns, depth 64), added up R times, by the products
 * of Hopper's tensor units; a block has two tiles. The fault, FAULT 1: all R products are made, though
 * they are equal. Tiles lie in shared memory in rows of 128 bytes whose 16-byte pieces are mixed (PTX,
 * wgmma, 128-byte swizzle); a product of depth 16 takes 32 bytes of each row. */
__device__ unsigned long long matrix(const void *at)
{
	return (__cvta_generic_to_shared(at) & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

/* Copies rows of 128 bytes; piece i of row r goes to place i ^ r % 8. */
__device__ void load(uint4 *to, const uint4 *from, int rows)
{
	for (int i = threadIdx.x; i < rows * 8; i += blockDim.x)
		to[i / 8 * 8 + (i % 8 ^ i / 8 % 8)] = from[i];
}

#define OF_8(I) "+f"(c[I]), "+f"(c[I + 1]), "+f"(c[I + 2]), "+f"(c[I + 3]), "+f"(c[I + 4]), \
	"+f"(c[I + 5]), "+f"(c[I + 6]), "+f"(c[I + 7])

__device__ void multiply(float c[64], unsigned long long a, unsigned long long b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
		     "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,"
		     "%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,"
		     "%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,"
		     "%59,%60,%61,%62,%63}, %64, %65, 1, 1, 1, 0, 0;"
		     : OF_8(0), OF_8(8), OF_8(16), OF_8(24), OF_8(32), OF_8(40), OF_8(48), OF_8(56)
		     : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(256) products(const uint4 *a, const uint4 *b, float *out,
							  long long r)
{
	__shared__ __align__(1024) uint4 as[2][64 * 8], bs[128 * 8];
	const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
	const int rounds = FAULT ? r : 1;
	float c[64] = {};

	load(as[0], a + blockIdx.x * 2ll * 64 * 8, 2 * 64);
	load(bs, b, 128);
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncthreads();
	const unsigned long long x = matrix(as[group]), y = matrix(bs);
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	for (int i = 0; i < rounds; i++) {
#pragma unroll
		for (int k = 0; k < 4; k++)
			multiply(c, x + 2 * k, y + 2 * k);
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
	}
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	/* A warp has 16 rows of its tile: eight, and the eight below; a thread two of eight columns. */
	out += ((blockIdx.x * 2ll + group) * 64 + threadIdx.x % 128 / 32 * 16 + lane / 4) * 128;
#pragma unroll
	for (int i = 0; i < 64; i++)
		out[i / 2 % 2 * 8 * 128 + i / 4 * 8 + lane % 4 * 2 + i % 2] =
			FAULT ? c[i] : c[i] * (float)r;
}
