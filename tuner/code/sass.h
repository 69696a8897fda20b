/* Instructions of NVIDIA's GPUs of compute capability 7.0 and newer, 16 bytes each: what they are,
 * and what they may be followed by. What is known of them is a text, sass_opcodes.tsv. */
#ifndef ASCTUNE_CODE_SASS_H
#define ASCTUNE_CODE_SASS_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/code/code_counts.h"
#include "tuner/code/code_loops.h"

enum { SASS_BYTES = 16, SASS_OPCODES = 4096, SASS_MNEMONIC_SIZE = 16 };

/* The text, as it is embedded. */
extern const char sass_opcodes[];

/* Where control goes from an instruction. */
enum sass_flow { SASS_NEXT, SASS_BRANCH, SASS_END, SASS_JUMP };

struct sass_opcode {
	char mnemonic[SASS_MNEMONIC_SIZE]; /* without modifiers; "": not known */
	uint8_t class;                     /* enum code_class */
	uint8_t flow;                      /* enum sass_flow */
};

/* Instructions of one capability, by their bits 0 to 11; 72 KiB. */
struct sass_table {
	int capability; /* times 10 */
	struct sass_opcode opcodes[SASS_OPCODES];
};

/* Fills a table. False: no capability of that generation is known; all opcodes are unknown then. */
bool sass_table_init(struct sass_table *t, int capability);

/* One instruction, its two words. */
const struct sass_opcode *sass_find(const struct sass_table *t, const uint64_t words[2]);

/* What may follow instruction `i` of a kernel. */
void sass_follow(const struct sass_table *t, const uint64_t words[2], int64_t i,
		 struct code_step *out);

#endif
