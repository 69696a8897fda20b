/* Instructions of NVIDIA's GPUs of compute capability 7.0 and newer, 16 bytes each: what they are,
 * and what they may be followed by. What is known of them is a text, sass_opcodes.tsv. */
#ifndef ASCTUNE_CODE_SASS_H
#define ASCTUNE_CODE_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/code/code_counts.h"
#include "tuner/code/code_loops.h"

enum { SASS_BYTES = 16, SASS_ENCODINGS = 4096, SASS_CAPABILITIES = 16 };

/* A line of the text, compiled by cmake/opcodes.cmake. */
struct sass_opcode {
	unsigned encoding;    /* bits 0 to 11 */
	const char *mnemonic; /* without modifiers; "": not known */
	enum code_class class;
	uint8_t capabilities[SASS_CAPABILITIES]; /* times 10, of those that have it; 0: no more */
};

extern const struct sass_opcode sass_opcodes[];
extern const size_t sass_n_opcodes;

/* Instructions of one capability, by their bits 0 to 11. */
struct sass_table {
	int capability; /* times 10 */
	const struct sass_opcode *opcodes[SASS_ENCODINGS];
};

/* Fills a table. False: no capability of that generation is known; all opcodes are unknown then. */
bool sass_table_init(struct sass_table *t, int capability);

/* One instruction, its two words. */
const struct sass_opcode *sass_find(const struct sass_table *t, const uint64_t words[2]);

/* True for a branch to wherever a register says. */
bool sass_is_indirect(const struct sass_opcode *o);

/* Finds where control goes from instruction `i` of a kernel. */
void sass_follow(const struct sass_table *t, const uint64_t words[2], int64_t i,
		 struct code_step *out);

#endif
