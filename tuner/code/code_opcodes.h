/* How often each opcode stands in the code of two kernels, side by side: mnemonics without
 * modifiers, as a disassembler lists them. Cubins need none for that, code of a CPU objdump.
 *
 * The caller owns the storage: zeroed, then code_opcodes_fini(). */
#ifndef ASCTUNE_CODE_CODE_OPCODES_H
#define ASCTUNE_CODE_CODE_OPCODES_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

enum { CODE_OPCODE_SIZE = 24, CODE_SIDES = 2 };

struct code_opcode {
	char name[CODE_OPCODE_SIZE]; /* "LDG", "vfmadd231ps"; "?": not known */
	int64_t n[CODE_SIDES];
};

struct code_opcodes {
	struct code_opcode *list;
	size_t n, room;
};

/* Adds the code of a kernel in a file as one side, 0 or 1; errors as code_file_count(). */
enum asc_status code_opcodes_add(struct code_opcodes *o, size_t side, const char *path,
				 const char *kernel, struct asc_err *e);

/* Brings what differs most to the front, then by names. */
void code_opcodes_sort(struct code_opcodes *o);

void code_opcodes_fini(struct code_opcodes *o);

#endif
