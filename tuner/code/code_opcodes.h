/* Counts of each opcode in the code of two kernels, side by side: mnemonics without
 * modifiers, as a disassembler lists them. Cubins need none for that, code of a CPU objdump.
 *
 * The caller owns the storage: zeroed, then code_opcodes_fini(). */
#ifndef ASCTUNE_CODE_CODE_OPCODES_H
#define ASCTUNE_CODE_CODE_OPCODES_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct code_listing;

enum { CODE_OPCODE_SIZE = 24, CODE_SIDES = 2 };

struct code_opcode {
	char name[CODE_OPCODE_SIZE]; /* "LDG", "vfmadd231ps"; "?": not known */
	int64_t n[CODE_SIDES];
};

struct code_opcodes {
	struct code_opcode *list;
	size_t n, room;
};

/* Adds a kernel of a cubin as one side, 0 or 1; errors as code_file_count(). */
enum asc_status code_opcodes_add_cubin(struct code_opcodes *o, size_t side, const char *path,
				       const char *kernel, struct asc_err *e);
/* Adds what objdump listed as one side. */
enum asc_status code_opcodes_add_listing(struct code_opcodes *o, size_t side,
					 const struct code_listing *l, struct asc_err *e);

/* Brings what differs most to the front; equal ones by their names. */
void code_opcodes_sort(struct code_opcodes *o);

/* Number of those that do not stand as often in both, which are in front. */
size_t code_opcodes_differing(const struct code_opcodes *o);

void code_opcodes_fini(struct code_opcodes *o);

#endif
