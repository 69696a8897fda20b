/* Counts of the machine code of one kernel: what it takes of a processor, and its
 * instructions by class, in all and in the innermost loops. The same for cubins and for the C code
 * of a CPU. Plain data.
 *
 * Figures have names ("code_registers", "loop_f32"), which profiles, rules and outputs share:
 * code_counts_next() is the one list of them. */
#ifndef ASCTUNE_CODE_CODE_COUNTS_H
#define ASCTUNE_CODE_CODE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Classes of instructions. id, name, whose they are, meaning */
#define CODE_CLASS_LIST(X)                                                                         \
	X(INTEGER, "integer", CODE_ANY, "integers, addresses, predicates, moves")                  \
	X(F16, "f16", CODE_GPU, "arithmetic of floats of 16 bits and fewer")                       \
	X(F32, "f32", CODE_GPU, "arithmetic of 32-bit floats")                                     \
	X(F64, "f64", CODE_GPU, "arithmetic of 64-bit floats")                                     \
	X(SPECIAL, "special", CODE_GPU, "exponentials, logarithms, roots, sines")                  \
	X(TENSOR, "tensor", CODE_GPU, "products of the tensor units")                              \
	X(VECTOR, "vector", CODE_CPU, "arithmetic of several numbers at a time")                   \
	X(SCALAR, "scalar", CODE_CPU, "arithmetic of one float at a time")                         \
	X(SHUFFLE, "shuffle", CODE_CPU, "parts of vector registers, moved")                        \
	X(CONVERT, "convert", CODE_ANY, "conversions between types")                               \
	X(LOAD, "load", CODE_CPU, "loads that do nothing else")                                    \
	X(STORE, "store", CODE_CPU, "stores")                                                      \
	X(GLOBAL, "global", CODE_GPU, "loads, stores and atomics of global memory")                \
	X(SHARED, "shared", CODE_GPU, "loads, stores and atomics of shared memory")                \
	X(LOCAL, "local", CODE_GPU, "loads and stores of a thread's own memory")                   \
	X(CONSTANT, "constant", CODE_GPU, "loads of constants and arguments")                      \
	X(TENSOR_MEMORY, "tensor_memory", CODE_GPU, "the tensor units' own memory")                \
	X(WARP, "warp", CODE_GPU, "exchange between the threads of a warp")                        \
	X(SYNCHRONISE, "synchronise", CODE_ANY, "barriers, fences, waiting")                       \
	X(CONTROL, "control", CODE_ANY, "branches, calls, returns")                                \
	X(NONE, "none", CODE_ANY, "nothing, to fill up")                                           \
	X(UNKNOWN, "unknown", CODE_ANY, "not known here")

enum code_kind { CODE_GPU = 1, CODE_CPU = 2, CODE_ANY = 3 };

enum code_class {
#define X(id, name, kind, meaning) CODE_##id,
	CODE_CLASS_LIST(X)
#undef X
		CODE_CLASS_COUNT
};

const char *code_class_name(enum code_class c);
const char *code_class_meaning(enum code_class c);

/* One instruction, as far as it is known. */
struct code_instruction {
	uint32_t loop; /* number of the innermost loop that it is in, from 1; 0: in none */
	uint8_t class; /* enum code_class */
	bool spill;    /* it stores or loads a spilled register */
};

struct code_tally {
	int64_t instructions;
	int64_t by_class[CODE_CLASS_COUNT];
};

/* -1 stands for what is not known. */
struct code_counts {
	enum code_kind kind;
	int capability;              /* of a GPU, times 10: 90; 0: of a CPU */
	int64_t registers;           /* of a thread */
	int64_t stack_bytes;         /* of a thread: spilled registers and arrays */
	int64_t shared_bytes;        /* static shared memory of a block, as the driver counts it */
	int64_t bytes;               /* of its instructions; of a shared object, of all in .text */
	int64_t spills;              /* instructions that store or load a spilled register */
	bool known;                  /* the instructions of this processor are known: */
	struct code_tally all, loop; /* of the kernel; of its innermost loops together */
	int64_t loops;               /* innermost loops */
	int64_t jumps;               /* indirect branches: loops that they close are not counted */
	int64_t loop_spills;
	int64_t loop_chained; /* loads whose address depends on what they loaded the time before */
	int64_t loop_memory;  /* instructions that load or store, whatever else they do */
	int64_t loop_calls;   /* calls of functions */
	int64_t loop_rest;    /* those that compute one number in loops beside vector ones: most do
				 what is left of the work of these */
	int64_t width_bits;   /* the widest vector register of arithmetic in these loops */
};

/* Counts one instruction more, in `all`, `loop` and `loops`. */
void code_counts_add(struct code_counts *c, const struct code_instruction *i);

#define CODE_BYTES "code_bytes" /* the figure that is known of code that nothing lists */

/* One figure of the counts, by the name under which profiles have it. */
struct code_figure {
	char name[32];
	int64_t value;
};

/* Gives the figures that are known, one after another; false at the end. *at is 0 at first. */
bool code_counts_next(const struct code_counts *c, size_t *at, struct code_figure *out);

#endif
