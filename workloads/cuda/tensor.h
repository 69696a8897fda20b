/* Parts of kernels for tensor cores: 16-bit elements, tiles of them in shared memory, copies into
 * these, and products of small matrices (PTX ISA 8.0, sections on cp.async, ldmatrix and mma).
 *
 * A tile is rows of chunks, a chunk 16 bytes. Where a chunk lies in its row depends on the row, so
 * that neither the eight rows that ldmatrix reads at once nor a row that is written meet in a bank.
 * Elements are of the problem's type T, bf16 or f16. */
#ifndef ASCTUNE_CUDA_TENSOR_H
#define ASCTUNE_CUDA_TENSOR_H

typedef unsigned short element;

enum { CHUNK = 8 /* elements */ };

#if DTYPE_T == DTYPE_bf16
#define TYPE "bf16"
#elif DTYPE_T == DTYPE_f16
#define TYPE "f16"
#else
#error "elements are bf16 or f16"
#endif

__device__ unsigned shared_address(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

/* Byte offset of a chunk in a tile of CHUNKS per row: 1, 2, 4 or a multiple of 8. */
template <int CHUNKS> __device__ unsigned chunk_offset(int row, int chunk)
{
	constexpr int n = CHUNKS < 8 ? CHUNKS : 8;
	static_assert(CHUNKS >= 8 ? CHUNKS % 8 == 0 : (CHUNKS & (CHUNKS - 1)) == 0, "chunks");
	return 16 * (row * CHUNKS + (chunk ^ (row * n / 8 % n)));
}

/* Starts to copy a chunk: what is outside comes as zeros and is not read. */
__device__ void copy_start(unsigned to, const element *from, bool inside)
{
	asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
		     "r"(inside ? 16 : 0)
		     : "memory");
}

/* Starts to copy a tile with THREADS threads, of which `rows` x `columns` elements are inside of
 * the matrix; its rows are `pitch` elements apart there. */
template <int THREADS, int ROWS, int COLUMNS>
__device__ void tile_copy(unsigned to, const element *from, long long pitch, int rows, int columns)
{
	constexpr int line = COLUMNS / CHUNK, lines = THREADS / line;
	static_assert(THREADS % line == 0, "threads copy whole rows");
	const int row = threadIdx.x / line, chunk = threadIdx.x % line;

	from += row * pitch + chunk * CHUNK;
#pragma unroll
	for (int r = 0; r < ROWS; r += lines) {
		if (ROWS % lines != 0 && row + r >= ROWS)
			break;
		copy_start(to + chunk_offset<line>(row + r, chunk), from,
			   row + r < rows && chunk * CHUNK < columns);
		from += lines * pitch;
	}
}

/* Closes a group of the copies that were started since the last one; copy_wait<N> waits until at
 * most the last N such groups are under way. */
__device__ void copy_close()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N> __device__ void copy_wait()
{
	asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* Loads four 8 x 8 matrices; lane l gives the address of row l % 8 of matrix l / 8. */
__device__ void matrices_load(unsigned (&to)[4], unsigned from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
		     : "r"(from)
		     : "memory");
}

__device__ void matrices_load_transposed(unsigned (&to)[4], unsigned from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
		     : "r"(from)
		     : "memory");
}

/* c += a b, 16 x 8 += 16 x 16 by 16 x 8. Lane l has of c the rows l / 4 and 8 below, columns
 * 2 (l % 4) and the next. */
__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE
		     ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Two floats rounded to elements, the first in the lower half. */
__device__ unsigned pair(float first, float second)
{
	unsigned both;
	asm("cvt.rn." TYPE "x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
	return both;
}

#endif
