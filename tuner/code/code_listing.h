/* A listing of machine code, made by a disassembler that is at hand: nvdisasm or cuobjdump for
 * cubins, objdump for the code of a CPU. It is a child process in the sandbox with a time limit:
 * anybody may have written the file.
 *
 * The caller owns the storage: code_listing_open(), code_listing_close(). */
#ifndef ASCTUNE_CODE_CODE_LISTING_H
#define ASCTUNE_CODE_CODE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/code/code_counts.h"

struct code_line { /* texts are borrowed from the listing */
	uint64_t address;
	const char *function;       /* that it is in */
	const char *label;          /* in front of it; NULL: none */
	const char *text;           /* instruction with its operands */
	struct code_instruction is; /* class unknown where nothing is known of the instruction */
};

struct code_listing {
	struct buf raw;
	struct code_line *lines; /* in the order of their addresses */
	size_t n, room;
	const char *tool; /* "nvdisasm" */
	struct code_counts counts;
};

/* Lists a kernel of a cubin, or all functions of a shared object that its source made, whatever
 * `kernel` is. ASC_ABSENT: no disassembler for such code is here; the message says where it is
 * looked for. */
enum asc_status code_listing_open(const char *path, const char *kernel, struct code_listing *out,
				  struct asc_err *e);
void code_listing_close(struct code_listing *l);

/* Checks that a disassembler is here, for cubins or for this machine's own code; `reason` says
 * where it is looked for. */
bool code_listing_check(bool cubin, char *reason, size_t size);

/* Reads what objdump -d has printed, in l->raw. Of an object with a launch, asctune_launch(), it
 * leaves the functions that this may come to: a source may have several kernels. */
enum asc_status code_listing_parse_objdump(struct code_listing *l, struct asc_err *e);

/* Reads what nvdisasm -c or cuobjdump -sass has printed, in l->raw; kernel NULL: all of them. */
enum asc_status code_listing_parse_sass(struct code_listing *l, const char *kernel,
					struct asc_err *e);

#endif
