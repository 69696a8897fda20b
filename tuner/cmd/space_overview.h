/* `asctune space` without an option: a line for each space, and the effect of the device's limits
 * and rewrites.
 *
 * The caller owns the storage: space_overview_init(), space_overview_fini(). */
#ifndef ASCTUNE_CMD_SPACE_OVERVIEW_H
#define ASCTUNE_CMD_SPACE_OVERVIEW_H

#include <stdbool.h>

#include "tuner/base/buf.h"
#include "tuner/cmd/terminal/table.h"

struct binding;
struct implementation;
struct space;

struct space_subject { /* all borrowed */
	const char *file;
	const struct space *space;
	const struct binding *binding; /* NULL for a T1 file */
	const struct implementation *implementation;
};

struct space_notes {
	struct space_note {
		char *problem, *implementation, *text;
		struct buf others; /* problems with the same note */
		size_t n_others;
	} * items;
	size_t n, capacity;
};

struct space_overview {
	struct table table;
	struct space_notes notes; /* notes below the table */
	struct buf refusals;      /* JSON objects after the spaces */
};

void space_overview_init(struct space_overview *o);
void space_overview_fini(struct space_overview *o);

/* Warns of conditions that have no value somewhere, and says why an empty space is empty. */
enum asc_status space_overview_warn(const struct space_subject *s, struct asc_err *e);

/* Adds a space, and warns; as JSON it is printed at once. */
enum asc_status space_overview_add(struct space_overview *o, const struct space_subject *s,
				   bool json, struct asc_err *e);

/* Adds that the device refuses every configuration of the implementation, where it does. */
enum asc_status space_overview_refuse(struct space_overview *o, const struct binding *b,
				      const struct implementation *i, bool json, struct asc_err *e);

/* Adds an implementation that cannot be called, with its reason. */
enum asc_status space_overview_leave_out(struct space_overview *o, const char *problem,
					 const struct implementation *i, bool json,
					 struct asc_err *e);

/* Prints the table and the notes; JSON objects are printed as they are added. */
enum asc_status space_overview_print(struct space_overview *o, bool json, struct asc_err *e);

#endif
