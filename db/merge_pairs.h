/* Which row here is which row there, while a file is merged; only db/merge*.c include this. */
#ifndef ASCTUNE_DB_MERGE_PAIRS_H
#define ASCTUNE_DB_MERGE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;

struct pair {
	int64_t there, here;
	bool fresh;   /* it came now */
	bool touched; /* it was here, and something of it came now */
	bool whole;   /* it was here, with all rows that are counted */
	bool skipped; /* a row of something whole, not looked for */
};

struct pairs {
	struct pair *list; /* in the order of `there` */
	size_t n, room;
};

/* In the order of pair->there. */
enum asc_status pairs_add(struct pairs *p, const struct pair *pair, struct asc_err *e);
struct pair *pairs_find(const struct pairs *p, int64_t there); /* NULL: there is none */
void pairs_fini(struct pairs *p);

/* Sets pair->whole: runs that are here in full would be most of the work when a file is merged
 * again. `sql`: merge_table.counted. */
enum asc_status pairs_mark_whole(struct pairs *owners, struct db *here, struct db *there,
				 const char *sql, struct asc_err *e);

/* Is the newest run of row number `id` of one file newer than that of the other's? `sql`:
 * merge_table.newer. The order is total, so that it does not matter which file is merged into
 * which. */
enum asc_status pair_is_newer(const struct pair *p, struct db *here, struct db *there,
			      const char *sql, bool *out, struct asc_err *e);

#endif
