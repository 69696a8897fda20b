/* The lines below the overview of `asctune space`: what is the same for several problems is said
 * once.
 *
 * The caller owns the storage: `struct space_notes n = {0}`, then space_notes_fini(). */
#ifndef ASCTUNE_CMD_SPACE_NOTES_H
#define ASCTUNE_CMD_SPACE_NOTES_H

#include <stddef.h>

#include "tuner/base/buf.h"

struct space_notes {
	struct space_note {
		char *problem, *implementation, *text;
		struct buf others; /* problems of which the same was said */
		size_t n_others;
	} * items;
	size_t n, capacity;
};

void space_notes_fini(struct space_notes *n);

/* Adds what is said of the implementation for the problem: lines that end in '\n'. */
enum asc_status space_notes_add(struct space_notes *n, const char *problem,
				const char *implementation, const char *lines, struct asc_err *e);

/* Appends a line for each note, in the order in which they came. */
enum asc_status space_notes_print(const struct space_notes *n, struct buf *out, struct asc_err *e);

#endif
