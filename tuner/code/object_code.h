/* Machine code of a CPU, x86-64 or aarch64, as objdump lists it: what its instructions are, by
 * their mnemonics and operands. */
#ifndef ASCTUNE_CODE_OBJECT_CODE_H
#define ASCTUNE_CODE_OBJECT_CODE_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/code/code_counts.h"

struct code_line;

/* The machine of an ELF file, EM_X86_64 or EM_AARCH64; 0: neither, or no such file. */
int object_machine(const void *data, size_t n);

/* Finds what each of the lines is, with its loop, and counts them. */
enum asc_status object_decode(int machine, struct code_line *lines, size_t n,
			      struct code_counts *out, struct asc_err *e);

#endif
