/* Twins: C functions that compute what kernels for an Ascend NPU compute, program by program, with
 * the same blocks, parameters and roundings of elements. The stand-in for an NPU (standin)
 * runs them where no NPU is at hand.
 *
 * A twin is a C file that ends with TWIN_BINARY(), a table of its kernels. The symbol twin_binary
 * is what makes a shared object a binary that the stand-in loads. */
#ifndef TWIN_H
#define TWIN_H

#include <stdint.h>

/* An argument of a kernel, widened. Addresses are the host's, NULL for an absent tensor. */
union twin_argument {
	void *address;
	int64_t integer;
	double real;
};

/* Work of one program. A time model makes a duration of it, which says nothing of an NPU's speed.
 */
struct twin_work {
	double read_bytes, written_bytes; /* between device memory and the chip */
	double cube_operations, vector_operations;
	double steps; /* transfers that a program waits for, one after the other */
};

typedef void twin_run_fn(const union twin_argument *a, int64_t program, int64_t programs);
typedef void twin_work_fn(const union twin_argument *a, int64_t program, int64_t programs,
			  struct twin_work *out);

/* Bytes that the kernel writes through its output, and how many of these, at the end, belong to a
 * block that is not full; 0: every block is full. */
typedef int64_t twin_output_fn(const union twin_argument *a, int64_t *partial_bytes);

struct twin_kernel {
	const char *name;
	const char *mix_mode; /* "aiv": runs on vector cores; "mix": on cube cores with their vector
				 cores */
	const char *arguments; /* a letter each: `p` address, `o` address of the output; `b` `h` `w`
				  `q` integers of 1, 2, 4 and 8 bytes; `f` float, `d` double */
	twin_run_fn *run;
	twin_work_fn *work;          /* `out` is zeroed */
	twin_output_fn *output;      /* NULL: not known */
	int64_t ub_bytes, l0c_bytes; /* of a core, in use at a time */
	int overlaps;                /* 1: its transfers overlap with computing */
	int pure;                    /* 1: what it writes depends on nothing that it writes, unless
					an output is an input's memory */
};

enum { TWIN_MAGIC = 0x314e5754 }; /* "TWN1" */

struct twin_binary {
	uint32_t magic, n;
	const char *soc; /* the one product that it is for; "": any */
	const struct twin_kernel *kernels;
};

#define TWIN_TEXT_OF(x) #x
#define TWIN_TEXT(x)    TWIN_TEXT_OF(x)
#ifdef TWIN_SOC
#define TWIN_SOC_TEXT TWIN_TEXT(TWIN_SOC)
#else
#define TWIN_SOC_TEXT ""
#endif

#define TWIN_BINARY(...)                                                                           \
	static const struct twin_kernel twin_kernels[] = {__VA_ARGS__};                            \
	extern const struct twin_binary twin_binary;                                               \
	__attribute__((visibility("default"))) const struct twin_binary twin_binary = {            \
		TWIN_MAGIC, sizeof twin_kernels / sizeof *twin_kernels, TWIN_SOC_TEXT,             \
		twin_kernels}

#endif
