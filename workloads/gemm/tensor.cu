/* Matrix product C = A B on tensor cores, row-major, bf16 or f16 with sums in float: A is M x K, B
 * is K x N.
 *
 * A block computes BLOCK_M x BLOCK_N elements of C in steps of BLOCK_K; copies of the next
 * STAGES - 1 steps to shared memory run beside the products. WARPS_M x WARPS_N warps share the
 * block; each keeps its sums in registers.
 *
 * K and N are multiples of 8, the elements of a copy; what lies beyond the matrices is copied as
 * zeros.
 *
 * Parameters: BLOCK_M, BLOCK_N, BLOCK_K; WARPS_M, WARPS_N; STAGES; GROUP, how many rows of blocks
 * are worked on together, so that what they read stays in the cache; MIN_BLOCKS, how many blocks a
 * multiprocessor is to hold. */
#include "../cuda/tensor.h"

constexpr int kThreads = 32 * WARPS_M * WARPS_N;
constexpr int kWarpM = BLOCK_M / WARPS_M, kWarpN = BLOCK_N / WARPS_N;
constexpr int kTilesM = kWarpM / 16, kTilesN = kWarpN / 8;
constexpr int kStageA = 2 * BLOCK_M * BLOCK_K, kStageB = 2 * BLOCK_K * BLOCK_N; /* bytes */

static_assert(kWarpM % 16 == 0 && kWarpN % 16 == 0 && BLOCK_K % 16 == 0, "tiles are 16 x 16");

typedef float Sums[kTilesM][kTilesN][4];

__device__ void step_multiply(Sums &sum, unsigned a, unsigned b)
{
	const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const int row = warp / WARPS_N * kWarpM, column = warp % WARPS_N * kWarpN;

#pragma unroll
	for (int k = 0; k < BLOCK_K; k += 16) {
		unsigned left[kTilesM][4], right[kTilesN / 2][4];
#pragma unroll
		for (int i = 0; i < kTilesM; i++)
			matrices_load(left[i],
				      a + chunk_offset<BLOCK_K / CHUNK>(row + 16 * i + lane % 16,
									k / CHUNK + lane / 16));
#pragma unroll
		for (int j = 0; j < kTilesN / 2; j++)
			matrices_load_transposed(
				right[j],
				b + chunk_offset<BLOCK_N / CHUNK>(
					    k + lane % 16, (column + 16 * j) / CHUNK + lane / 16));
#pragma unroll
		for (int i = 0; i < kTilesM; i++)
#pragma unroll
			for (int j = 0; j < kTilesN; j++)
				multiply_add(sum[i][j], left[i], right[j / 2][j % 2 * 2],
					     right[j / 2][j % 2 * 2 + 1]);
	}
}

/* Stores the sums of a block, of which `rows` x `columns` are inside of the matrix; `columns` is
 * even. */
__device__ void sums_store(element *c, const Sums &sum, long long n, int rows, int columns)
{
	const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const int row = warp / WARPS_N * kWarpM + lane / 4;
	const int column = warp % WARPS_N * kWarpN + lane % 4 * 2;

	c += row * n + column;
#pragma unroll
	for (int i = 0; i < 2 * kTilesM; i++, c += 8 * n) {
		if (row + 8 * i >= rows)
			break;
#pragma unroll
		for (int j = 0; j < kTilesN; j++)
			if (column + 8 * j < columns)
				*(unsigned *)(c + 8 * j) = pair(sum[i / 2][j][i % 2 * 2],
								sum[i / 2][j][i % 2 * 2 + 1]);
	}
}

struct Place { /* of a block */
	long long row, column;
};

/* Place of this block: blocks go down GROUP rows of blocks, then one column to the right. */
__device__ Place block_place()
{
	const unsigned index = blockIdx.y * gridDim.x + blockIdx.x;
	const unsigned first = index / (GROUP * gridDim.x) * GROUP;
	const unsigned rows = min(gridDim.y - first, (unsigned)GROUP);
	const unsigned rest = index % (GROUP * gridDim.x);
	return {(long long)(first + rest % rows) * BLOCK_M, (long long)(rest / rows) * BLOCK_N};
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
	gemm_tensor(const element *a, const element *b, element *c, long long m, long long n,
		    long long k)
{
	extern __shared__ uint4 shared[];
	const unsigned left = shared_address(shared), right = left + STAGES * kStageA;
	const Place at = block_place();
	const int rows = (int)min(m - at.row, (long long)BLOCK_M);
	const int columns = (int)min(n - at.column, (long long)BLOCK_N);
	const int steps = (int)((k + BLOCK_K - 1) / BLOCK_K);
	Sums sum = {};

	a += at.row * k;
	b += at.column;
	/* Called in two loops: one loop that begins with copies alone was 8 % slower. */
	auto fetch = [&](int step) {
		const int stage = step % STAGES;
		const int depth = (int)min(k - (long long)step * BLOCK_K, (long long)BLOCK_K);
		if (step < steps) {
			tile_copy<kThreads, BLOCK_M, BLOCK_K>(left + stage * kStageA, a, k, rows,
							      depth);
			tile_copy<kThreads, BLOCK_K, BLOCK_N>(right + stage * kStageB, b, n, depth,
							      columns);
		}
		a += BLOCK_K;
		b += BLOCK_K * n;
		copy_close();
	};
#pragma unroll 1
	for (int step = 0; step < STAGES - 1; step++)
		fetch(step);
#pragma unroll 1
	for (int step = 0; step < steps; step++) {
		copy_wait<STAGES - 2>();
		__syncthreads(); /* what was copied is there, the next stage was read */
		fetch(step + STAGES - 1);
		step_multiply(sum, left + step % STAGES * kStageA, right + step % STAGES * kStageB);
	}
	sums_store(c + at.row * n + at.column, sum, n, rows, columns);
}
