/* `asctune space` without a choice of what to show: a line for each space, and what the device's
 * limits and rewrites do to it.
 *
 * The caller owns the storage: space_overview_init(), space_overview_fini(). */
#ifndef ASCTUNE_CMD_SPACE_OVERVIEW_H
#define ASCTUNE_CMD_SPACE_OVERVIEW_H

#include <stdbool.h>

#include "tuner/base/buf.h"
#include "tuner/cmd/space_explanation.h"
#include "tuner/cmd/space_notes.h"
#include "tuner/cmd/table.h"

struct space_overview {
	struct table table;
	struct space_notes notes; /* below it */
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

/* Prints what was added, except for JSON objects, and the lines below. */
enum asc_status space_overview_print(struct space_overview *o, bool json, struct asc_err *e);

#endif
