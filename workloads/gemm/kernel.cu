/* Matrix product C = A B on a GPU's ordinary cores, row-major, float: A is M x K, B is K x N.
 *
 * A block computes BLOCK_M x BLOCK_N elements of C in steps of BLOCK_K. Copies of the next
 * STAGES - 1 steps to shared memory run beside the arithmetic. A thread keeps THREAD_M x THREAD_N
 * sums in registers; its rows are apart by the number of threads in a column, its columns come in
 * fours that are apart likewise, so that a warp reads neighbouring rows and columns. Rows of A are
 * read four elements of K at a time and padded by as much, against bank conflicts.
 *
 * Elements beyond the matrices are copied as zeros. Sizes of K and N are multiples of VECTOR, the
 * elements of a copy.
 *
 * Parameters: BLOCK_M, BLOCK_N, BLOCK_K; THREAD_M, THREAD_N; STAGES; VECTOR; GROUP, how many rows
 * of blocks are worked on together, so that what they read stays in the cache. */

constexpr int kColumns = BLOCK_N / THREAD_N; /* threads along a row of C */
constexpr int kRows = BLOCK_M / THREAD_M;
constexpr int kThreads = kColumns * kRows;
constexpr int kPitchA = BLOCK_K + 4; /* floats between rows in shared memory */
constexpr int kStageA = BLOCK_M * kPitchA, kStageB = BLOCK_K * BLOCK_N;

static_assert(THREAD_N % 4 == 0 && BLOCK_K % 4 == 0, "columns and steps come in fours");

struct Place { /* of a block */
	long long row, column;
};

/* Copies sizeof(float) * VECTOR bytes, of which the first `bytes` are read and the rest zeros. */
__device__ void copy_async(float *to, const float *from, int bytes)
{
	const unsigned at = (unsigned)__cvta_generic_to_shared(to);
	if (VECTOR == 4)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from),
			     "r"(bytes)
			     : "memory");
	else
		asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(at), "l"(from),
			     "r"(bytes), "n"(4 * VECTOR)
			     : "memory");
}

/* Starts to copy a tile of ROWS x COLUMNS, of which `rows` x `columns` are inside of the matrix;
 * its rows are `pitch` apart there. */
template <int ROWS, int COLUMNS, int PITCH>
__device__ void tile_copy(float *to, const float *from, long long pitch, int rows, int columns)
{
	constexpr int line = COLUMNS / VECTOR, lines = kThreads / line;
	static_assert(kThreads % line == 0, "threads copy whole rows");
	const int row = threadIdx.x / line, column = threadIdx.x % line * VECTOR;

	to += row * PITCH + column;
	from += row * pitch + column;
#pragma unroll 4
	for (int r = 0; r < ROWS; r += lines) {
		if (ROWS % lines != 0 && row + r >= ROWS)
			break;
		const bool inside = row + r < rows && column < columns;
		copy_async(to + r * PITCH, from, inside ? 4 * VECTOR : 0);
		from += lines * pitch;
	}
}

__device__ void tile_multiply(const float *a, const float *b, float (&sum)[THREAD_M][THREAD_N])
{
	a += threadIdx.x / kColumns * kPitchA;
	b += threadIdx.x % kColumns * 4;
#pragma unroll 1
	for (int k = 0; k < BLOCK_K; k += 2) {
		float2 left[THREAD_M];
#pragma unroll
		for (int i = 0; i < THREAD_M; i++)
			left[i] = *(const float2 *)(a + i * kRows * kPitchA + k);
#pragma unroll
		for (int j = 0; j < THREAD_N; j += 4) {
			const float *column = b + k * BLOCK_N + j * kColumns;
			const float4 x = *(const float4 *)column;
			const float4 y = *(const float4 *)(column + BLOCK_N);
#pragma unroll
			for (int i = 0; i < THREAD_M; i++) {
				sum[i][j] += left[i].x * x.x;
				sum[i][j + 1] += left[i].x * x.y;
				sum[i][j + 2] += left[i].x * x.z;
				sum[i][j + 3] += left[i].x * x.w;
				sum[i][j] += left[i].y * y.x;
				sum[i][j + 1] += left[i].y * y.y;
				sum[i][j + 2] += left[i].y * y.z;
				sum[i][j + 3] += left[i].y * y.w;
			}
		}
	}
}

/* Stores the sums of a block, of which `rows` x `columns` are inside of the matrix. */
__device__ void tile_store(float *c, const float (&sum)[THREAD_M][THREAD_N], long long n, int rows,
			   int columns)
{
	const int x = threadIdx.x % kColumns * 4, y = threadIdx.x / kColumns;

	c += y * n + x;
#pragma unroll
	for (int i = 0; i < THREAD_M; i++, c += kRows * n)
#pragma unroll
		for (int j = 0; j < THREAD_N; j += VECTOR) {
			const int column = j / 4 * 4 * kColumns + j % 4;
			if (y + i * kRows >= rows || x + column >= columns)
				continue;
			if (VECTOR == 4)
				*(float4 *)(c + column) = make_float4(sum[i][j], sum[i][j + 1],
								      sum[i][j + 2], sum[i][j + 3]);
			else if (VECTOR == 2)
				*(float2 *)(c + column) = make_float2(sum[i][j], sum[i][j + 1]);
			else
				c[column] = sum[i][j];
		}
}

/* Place of this block: blocks go down GROUP rows of blocks, then one column to the right. */
__device__ Place block_place()
{
	const unsigned index = blockIdx.y * gridDim.x + blockIdx.x;
	const unsigned first = index / (GROUP * gridDim.x) * GROUP;
	const unsigned rows = min(gridDim.y - first, (unsigned)GROUP);
	const unsigned rest = index % (GROUP * gridDim.x);
	return {(long long)(first + rest % rows) * BLOCK_M, (long long)(rest / rows) * BLOCK_N};
}

extern "C" __global__ void __launch_bounds__(kThreads)
	gemm_simt(const float *a, const float *b, float *c, long long m, long long n, long long k)
{
	extern __shared__ float4 shared[];
	float *const left = (float *)shared, *const right = left + STAGES * kStageA;
	const Place at = block_place();
	const int rows = (int)min(m - at.row, (long long)BLOCK_M);
	const int columns = (int)min(n - at.column, (long long)BLOCK_N);
	const int steps = (int)((k + BLOCK_K - 1) / BLOCK_K);
	float sum[THREAD_M][THREAD_N] = {};

	a += at.row * k;
	b += at.column;
#pragma unroll 1
	for (int next = 0; next < steps + STAGES - 1; next++) {
		const int step = next - (STAGES - 1), stage = next % STAGES;
		if (step >= 0) {
			asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
			__syncthreads(); /* what was copied is there, the next stage was read */
		}
		if (next < steps) {
			const int depth =
				(int)min(k - (long long)next * BLOCK_K, (long long)BLOCK_K);
			tile_copy<BLOCK_M, BLOCK_K, kPitchA>(left + stage * kStageA, a, k, rows,
							     depth);
			tile_copy<BLOCK_K, BLOCK_N, BLOCK_N>(right + stage * kStageB, b, n, depth,
							     columns);
			a += BLOCK_K;
			b += BLOCK_K * n;
		}
		asm volatile("cp.async.commit_group;" ::: "memory");
		if (step >= 0)
			tile_multiply(left + step % STAGES * kStageA,
				      right + step % STAGES * kStageB, sum);
	}
	tile_store(c + at.row * n + at.column, sum, n, rows, columns);
}
