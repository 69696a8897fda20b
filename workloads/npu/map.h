/* Twins of maps, a formula for each element: blocks of BLOCK_M rows by BLOCK_SIZE columns, in parts
 * of BLOCK_SIZE_SUB; FLAT: matrices without gaps, taken as one row. */
#ifndef NPU_MAP_H
#define NPU_MAP_H

#include "rows.h"

struct map {
	const void *a, *b; /* b: NULL where the formula takes one element */
	void *out;
	int64_t m, n, a_stride, b_stride, out_stride, blocks;
	float scale;
};

/* Map of two matrices and a result, in the order of a kernel's arguments; a scale may follow. */
INLINE struct map map_two(const union twin_argument *a, int scaled)
{
	return (struct map){a[0].address,          a[1].address,
			    a[2].address,          a[3].integer,
			    a[4].integer,          a[5].integer,
			    a[6].integer,          a[7].integer,
			    a[8 + scaled].integer, scaled ? (float)a[8].real : 1};
}

/* Map of one matrix and a result. */
INLINE struct map map_one(const union twin_argument *a)
{
	return (struct map){a[0].address, NULL, a[1].address, a[2].integer, a[3].integer,
			    a[4].integer, 0,    a[5].integer, a[6].integer, 1};
}

typedef void map_part_fn(const struct map *m, int64_t row, int64_t first, int64_t end);

INLINE void map_walk(const struct map *m, int64_t program, int64_t programs, map_part_fn *part)
{
	const int64_t rows = FLAT ? 1 : m->m, n = FLAT ? m->m * m->n : m->n,
		      blocks_n = rows_parts(n, BLOCK_SIZE);

	for (int64_t block = program; block < m->blocks; block += programs) {
		const int64_t top = block / blocks_n * BLOCK_M,
			      left = block % blocks_n * BLOCK_SIZE;

		for (int64_t start = 0; start < BLOCK_SIZE; start += BLOCK_SIZE_SUB)
			for (int64_t row = top; row < rows_least(top + BLOCK_M, rows); row++)
				part(m, row, left + start,
				     rows_least(left + start + BLOCK_SIZE_SUB, n));
	}
}

INLINE void map_work(const struct map *m, int64_t program, int64_t programs, double read_size,
		     double written_size, double operations, struct twin_work *out)
{
	const double own = rows_own(m->blocks, program, programs),
		     elements = own * BLOCK_M * BLOCK_SIZE;

	out->steps = own * BLOCK_SIZE / BLOCK_SIZE_SUB;
	out->read_bytes = elements * read_size * (m->b ? 2 : 1);
	out->written_bytes = elements * written_size;
	out->vector_operations = elements * operations;
}

/* Bytes of an output whose elements have so many, and of its last block where that is not full. */
INLINE int64_t map_output(const struct map *m, int64_t size, int64_t *partial_bytes)
{
	const int64_t rest = FLAT ? m->m * m->n % BLOCK_SIZE : m->m % BLOCK_M;

	*partial_bytes = FLAT ? rest * size : rest ? ((rest - 1) * m->out_stride + m->n) * size : 0;
	return ((m->m - 1) * m->out_stride + m->n) * size;
}

/* Makes the binary of the kernel `name`, whose map MAP_OF(arguments) is: FORMULA(element of a, of
 * b, scale), elements of FROM stored as those of TO, with so many vector operations each. UB is the
 * least that a part needs: what a compiler that joins all operations keeps. */
#define MAP_TWIN(name_, letters, map_of, formula, operations, from, to)                            \
	static void name_##_part(const struct map *m, int64_t row, int64_t first, int64_t end)     \
	{                                                                                          \
		const from *a = (const from *)m->a + row * m->a_stride,                            \
			   *b = m->b ? (const from *)m->b + row * m->b_stride : a;                 \
		to *out = (to *)m->out + row * m->out_stride;                                      \
		for (int64_t i = first; i < end; i++)                                              \
			to##_store(out + i,                                                        \
				   formula(from##_load(a + i), from##_load(b + i), m->scale));     \
	}                                                                                          \
	static void name_(const union twin_argument *a, int64_t program, int64_t programs)         \
	{                                                                                          \
		const struct map m = map_of;                                                       \
		map_walk(&m, program, programs, name_##_part);                                     \
	}                                                                                          \
	static void name_##_work(const union twin_argument *a, int64_t program, int64_t programs,  \
				 struct twin_work *out)                                            \
	{                                                                                          \
		const struct map m = map_of;                                                       \
		map_work(&m, program, programs, sizeof(from), sizeof(to), operations, out);        \
	}                                                                                          \
	static int64_t name_##_output(const union twin_argument *a, int64_t *partial_bytes)        \
	{                                                                                          \
		const struct map m = map_of;                                                       \
		return map_output(&m, sizeof(to), partial_bytes);                                  \
	}                                                                                          \
	TWIN_BINARY({.name = #name_,                                                               \
		     .mix_mode = "aiv",                                                            \
		     .arguments = letters,                                                         \
		     .run = name_,                                                                 \
		     .work = name_##_work,                                                         \
		     .output = name_##_output,                                                     \
		     .ub_bytes = (int64_t)sizeof(from) * BLOCK_M * BLOCK_SIZE_SUB,                 \
		     .pure = 1})

#endif
