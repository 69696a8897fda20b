/* Listings: things by name, whether each is usable here, and what it is or why it is not; as a
 * table or as JSON lines.
 *
 * The caller owns the storage: listing_init(), then listing_end(). */
#ifndef ASCTUNE_CMD_LISTING_H
#define ASCTUNE_CMD_LISTING_H

#include <stdbool.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/cmd/terminal/table.h"

struct listing {
	bool json, cut;    /* cut: memory ran out for a line */
	bool below;        /* of a table: what a thing is stays where it is not usable, and reasons
			      stand below, once for all whose names are the same up to the first dot */
	const char *group; /* stands before the names of what is added, with a dot; "": none */
	struct table table;
	struct buf reasons; /* lines below the table */
};

void listing_init(struct listing *l, const char *heads, bool json);

/* `name` or `summary` NULL: memory ran out for it. */
void listing_add(struct listing *l, const char *name, bool usable, const char *summary,
		 const char *reason);

/* Prints a JSON line of the listing and ends its storage. */
void listing_print(struct listing *l, struct buf *line);

/* Prints the table, where it is one. ASC_NOMEM, too, when a line before is missing. */
enum asc_status listing_end(struct listing *l, struct asc_err *e);

#endif
