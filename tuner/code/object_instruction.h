/* One instruction of a CPU, x86-64 or aarch64, as objdump writes it: taken apart, and what it does
 * by its mnemonic and operands. */
#ifndef ASCTUNE_CODE_OBJECT_INSTRUCTION_H
#define ASCTUNE_CODE_OBJECT_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/code/code_counts.h"
#include "tuner/code/code_loops.h"

enum { OBJECT_WORD_SIZE = 24, OBJECT_MAX_OPERANDS = 6 };

struct object_operand { /* borrowed from the listing, not ended */
	const char *text;
	size_t n;
	bool memory;
};

struct object_instruction {
	char word[OBJECT_WORD_SIZE]; /* mnemonic, without prefixes and x86's v of AVX */
	bool locked;
	struct object_operand operands[OBJECT_MAX_OPERANDS];
	size_t n;
};

/* `machine` is EM_X86_64 or EM_AARCH64. */
void object_parse(int machine, const char *text, struct object_instruction *out);

enum code_class object_classify(int machine, const struct object_instruction *p);

/* Sets out->next; true for a branch: object_read_target() finds its target, unless a register has
 * it.
 */
bool object_follow(int machine, const struct object_instruction *p, struct code_step *out);

/* True where an operand is in memory, or for lea looks so. */
bool object_has_memory(const struct object_instruction *p);

/* Address that the last operand names; false: it is none. */
bool object_read_target(const struct object_instruction *p, uint64_t *address);

/* The width of its vector registers, in bits; 0: it has none, or SVE's, whose width the processor
 * decides. */
int64_t object_width_bits(const struct object_instruction *p);

/* True where a mnemonic begins with one of the words of a text, separated by blanks: "*ps" is for
 * its end, "=b" for all of it. */
bool object_is_any(const char *word, const char *list);

#endif
