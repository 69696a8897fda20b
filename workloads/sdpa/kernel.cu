/* Forward attention softmax(q k^T scale) v over [heads, S, HEAD] tensors of bf16 or f16, on tensor
 * cores; sums are float.
 *
 * A block computes BLOCK_M rows of a head, going over keys and values BLOCK_N at a time; copies of
 * the next STAGES - 1 blocks run beside the arithmetic. Each of WARPS warps has its own rows and
 * keeps their largest score, sum and output so far, rescaled when a larger score is met (Milakov &
 * Gimelshein, arXiv:1805.02867; Dao, arXiv:2307.08691). Scores stay in registers: what the first
 * product leaves there is laid out as the second one reads it.
 *
 * Parameters: BLOCK_M, BLOCK_N, WARPS, STAGES; Q_REGISTERS, whether q is kept in registers or read
 * from shared memory for each block of keys; MIN_BLOCKS, how many blocks a multiprocessor is to
 * hold; HEAD, the size of a head. */
#include "../cuda/tensor.h"

constexpr int kThreads = 32 * WARPS;
constexpr int kRows = BLOCK_M / WARPS; /* of a warp */
constexpr int kTiles = kRows / 16;
constexpr int kSteps = HEAD / 16, kLine = HEAD / CHUNK;
constexpr int kStageK = 2 * BLOCK_N * HEAD; /* bytes, as many of v */

static_assert(kRows % 16 == 0 && BLOCK_N % 16 == 0 && HEAD % 16 == 0, "tiles are 16 x 16");

typedef float Scores[kTiles][BLOCK_N / 8][4];
typedef float Outputs[kTiles][HEAD / 8][4];
typedef unsigned Queries[kTiles][kSteps][4];

struct Rows { /* two of each tile, l / 4 and 8 below for lane l */
	float largest[kTiles][2], sum[kTiles][2];
};

__device__ float infinity()
{
	return __int_as_float(0x7f800000);
}

__device__ float power2(float x)
{
	float y;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

/* Largest number of a row, whose columns are in four neighbouring lanes. */
__device__ float row_largest(float x)
{
	x = fmaxf(x, __shfl_xor_sync(~0U, x, 1));
	return fmaxf(x, __shfl_xor_sync(~0U, x, 2));
}

__device__ float row_sum(float x)
{
	x += __shfl_xor_sync(~0U, x, 1);
	return x + __shfl_xor_sync(~0U, x, 2);
}

/* Loads columns 16 step to 16 step + 15 of this warp's rows. */
__device__ void queries_load(unsigned (&to)[4], unsigned q, int tile, int step)
{
	const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * kRows + 16 * tile + lane % 16;
	matrices_load(to, q + chunk_offset<kLine>(row, 2 * step + lane / 16));
}

__device__ void scores_compute(Scores &s, const Queries &kept, unsigned q, unsigned k)
{
	const int lane = threadIdx.x % 32;

#pragma unroll
	for (int step = 0; step < kSteps; step++) {
		unsigned left[kTiles][4];
#pragma unroll
		for (int i = 0; i < kTiles; i++) {
			if (!Q_REGISTERS)
				queries_load(left[i], q, i, step);
#pragma unroll
			for (int r = 0; Q_REGISTERS && r < 4; r++)
				left[i][r] = kept[i][step][r];
		}
#pragma unroll
		for (int j = 0; j < BLOCK_N / 8; j += 2) {
			unsigned right[4];
			matrices_load(right,
				      k + chunk_offset<kLine>(8 * j + lane / 16 * 8 + lane % 8,
							      2 * step + lane / 8 % 2));
#pragma unroll
			for (int i = 0; i < kTiles; i++) {
				multiply_add(s[i][j], left[i], right[0], right[1]);
				multiply_add(s[i][j + 1], left[i], right[2], right[3]);
			}
		}
	}
}

/* Leaves of row r the scores of keys below `keys`, and, if causal, up to r. `first_key` is that of
 * the block; row 0 is this warp's first. */
__device__ void scores_mask(Scores &s, int first_row, int first_key, int keys, bool causal)
{
	const int lane = threadIdx.x % 32;

#pragma unroll
	for (int i = 0; i < kTiles; i++)
#pragma unroll
		for (int j = 0; j < BLOCK_N / 8; j++)
#pragma unroll
			for (int r = 0; r < 4; r++) {
				const int row = first_row + 16 * i + r / 2 * 8 + lane / 4;
				const int key = first_key + 8 * j + lane % 4 * 2 + r % 2;
				if (key >= keys || (causal && key > row))
					s[i][j][r] = -infinity();
			}
}

/* Makes of scores powers of 2 of their distance from the row's largest; what was summed up before
 * is rescaled. Every row has met a score that is not masked: that of key 0. */
__device__ void scores_raise(Scores &s, Rows &rows, Outputs &out, float scale)
{
#pragma unroll
	for (int i = 0; i < kTiles; i++)
#pragma unroll
		for (int r = 0; r < 2; r++) {
			float largest = rows.largest[i][r], sum = 0;
#pragma unroll
			for (int j = 0; j < BLOCK_N / 8; j++)
				largest = fmaxf(largest, fmaxf(s[i][j][2 * r], s[i][j][2 * r + 1]));
			largest = row_largest(largest);
			const float change = power2((rows.largest[i][r] - largest) * scale);
			const float offset = -largest * scale;
#pragma unroll
			for (int j = 0; j < BLOCK_N / 8; j++) {
				s[i][j][2 * r] = power2(fmaf(s[i][j][2 * r], scale, offset));
				s[i][j][2 * r + 1] =
					power2(fmaf(s[i][j][2 * r + 1], scale, offset));
				sum += s[i][j][2 * r] + s[i][j][2 * r + 1];
			}
			rows.sum[i][r] = rows.sum[i][r] * change + sum;
			rows.largest[i][r] = largest;
#pragma unroll
			for (int j = 0; j < HEAD / 8; j++) {
				out[i][j][2 * r] *= change;
				out[i][j][2 * r + 1] *= change;
			}
		}
}

__device__ void outputs_add(Outputs &out, const Scores &s, unsigned v)
{
	const int lane = threadIdx.x % 32;

#pragma unroll
	for (int step = 0; step < BLOCK_N / 16; step++) {
		unsigned left[kTiles][4];
#pragma unroll
		for (int i = 0; i < kTiles; i++)
#pragma unroll
			for (int r = 0; r < 4; r++)
				left[i][r] = pair(s[i][2 * step + r / 2][r % 2 * 2],
						  s[i][2 * step + r / 2][r % 2 * 2 + 1]);
#pragma unroll
		for (int j = 0; j < HEAD / 8; j += 2) {
			unsigned right[4];
			matrices_load_transposed(
				right,
				v + chunk_offset<kLine>(16 * step + lane % 16, j + lane / 16));
#pragma unroll
			for (int i = 0; i < kTiles; i++) {
				multiply_add(out[i][j], left[i], right[0], right[1]);
				multiply_add(out[i][j + 1], left[i], right[2], right[3]);
			}
		}
	}
}

__device__ void outputs_store(element *to, const Outputs &out, const Rows &rows, int first_row,
			      int size)
{
	const int lane = threadIdx.x % 32;

#pragma unroll
	for (int i = 0; i < kTiles; i++)
#pragma unroll
		for (int r = 0; r < 2; r++) {
			const int row = first_row + 16 * i + 8 * r + lane / 4;
			const float factor = 1 / row_sum(rows.sum[i][r]);
			element *line = to + (long long)row * HEAD + lane % 4 * 2;
#pragma unroll
			for (int j = 0; j < HEAD / 8; j++)
				if (row < size)
					*(unsigned *)(line + 8 * j) =
						pair(out[i][j][2 * r] * factor,
						     out[i][j][2 * r + 1] * factor);
		}
}

/* Attention of a block of queries. Blocks with most keys come first: the last to end should be
 * short. `scale` is that of q k^T, for powers of e. */
extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
	sdpa(const element *q, const element *k, const element *v, element *out, long long s,
	     bool causal, float scale)
{
	extern __shared__ uint4 shared[];
	const unsigned queries = shared_address(shared), keys = queries + 2 * BLOCK_M * HEAD;
	const unsigned values = keys + STAGES * kStageK;
	const int block = causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x, size = (int)s;
	const int first_row = block * BLOCK_M, row = first_row + threadIdx.x / 32 * kRows;
	const int end = causal ? min(first_row + BLOCK_M, size) : size; /* of the keys needed */
	const int blocks = (end + BLOCK_N - 1) / BLOCK_N;
	const long long head = blockIdx.y * s * HEAD;
	Outputs sums = {};
	Queries kept;
	Rows rows = {};

	auto fetch = [&](int i) {
		const int stage = i % STAGES, left = size - i * BLOCK_N;
		const long long at = head + (long long)i * BLOCK_N * HEAD;
		if (i < blocks) {
			tile_copy<kThreads, BLOCK_N, HEAD>(keys + stage * kStageK, k + at, HEAD,
							   left, HEAD);
			tile_copy<kThreads, BLOCK_N, HEAD>(values + stage * kStageK, v + at, HEAD,
							   left, HEAD);
		}
		copy_close();
	};
	tile_copy<kThreads, BLOCK_M, HEAD>(queries, q + head + (long long)first_row * HEAD, HEAD,
					   size - first_row, HEAD);
#pragma unroll 1
	for (int i = 0; i < STAGES - 1; i++)
		fetch(i);
#pragma unroll
	for (int i = 0; i < 2 * kTiles; i++)
		rows.largest[i / 2][i % 2] = -infinity();
#pragma unroll 1
	for (int i = 0; i < blocks; i++) {
		Scores scores = {};
		copy_wait<STAGES - 2>();
		__syncthreads(); /* what was copied is there; the stage to be filled was read */
		fetch(i + STAGES - 1);
		if (Q_REGISTERS && i == 0)
#pragma unroll
			for (int t = 0; t < kTiles * kSteps; t++)
				queries_load(kept[t / kSteps][t % kSteps], queries, t / kSteps,
					     t % kSteps);
		scores_compute(scores, kept, queries, keys + i % STAGES * kStageK);
		if ((i + 1) * BLOCK_N > (causal ? min(row + 1, size) : size))
			scores_mask(scores, row, i * BLOCK_N, size, causal);
		scores_raise(scores, rows, sums, scale * 1.4426950408889634f);
		outputs_add(sums, scores, values + i % STAGES * kStageK);
	}
	outputs_store(out + head, sums, rows, row, size);
}
