/* What differs between two listings: instructions by their mnemonics with modifiers and the kinds
 * of their operands; registers, addresses and constants may have any name or value. Loop by loop:
 * the first innermost loop of one beside the first of the other, and so on, then what is in none.
 *
 * The caller owns the storage: code_difference_make(), code_difference_fini(). */
#ifndef ASCTUNE_CODE_CODE_DIFFERENCE_H
#define ASCTUNE_CODE_CODE_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct buf;
struct code_listing;

struct code_change {
	uint32_t loop; /* number of the innermost loop; 0: in none */
	bool added;    /* the second has it and the first has not; else the other way round */
	char *shape;   /* the instruction without names; heap */
	size_t n;      /* so many of that shape in this loop */
};

struct code_difference {
	struct code_change *list; /* loops first, in their order; equal lines of a loop are one */
	size_t n, room;
	size_t same, added, removed; /* instructions */
};

/* ASC_LIMIT: the listings are too long to be held against each other. */
enum asc_status code_difference_make(const struct code_listing *first,
				     const struct code_listing *second, struct code_difference *out,
				     struct asc_err *e);
void code_difference_fini(struct code_difference *d);

/* Appends an instruction without names: "LDG.E.128 R, [R.64]", "vaddps %zmm, %zmm, %zmm". */
void code_shape_print(const char *text, struct buf *out);

#endif
