/* The innermost loops of machine code, from what each instruction may be followed by. */
#ifndef ASCTUNE_CODE_CODE_LOOPS_H
#define ASCTUNE_CODE_CODE_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

/* One instruction. */
struct code_step {
	int64_t target; /* index of the instruction that it may jump to; -1, or beyond the end: none
			 */
	bool next;      /* the next instruction may follow */
};

/* Sets loop_of[i], of n, to the number of the innermost loop that instruction i is in, counted from
 * 1 in the order of the code; 0: it is in none, or in one that has loops within. An instruction
 * that jumps to itself alone is no loop: compilers end code with one. *n_loops: their number. */
enum asc_status code_loops_find(const struct code_step *steps, size_t n, uint32_t *loop_of,
				size_t *n_loops, struct asc_err *e);

#endif
