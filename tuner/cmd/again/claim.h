/* Claims: recorded times that are to be reproduced, read from a database or from exported rows. */
#ifndef ASCTUNE_CMD_AGAIN_CLAIM_H
#define ASCTUNE_CMD_AGAIN_CLAIM_H

#include <stdint.h>

#include "db/db.h"
#include "tuner/base/err.h"
#include "tuner/result/provenance.h"

struct json_doc;
struct json_node;

struct claim { /* borrowed from a document */
	/* Fields that are texts or numbers, NULL and NaN where unknown, with `simulated`,
	 * `imported` and `of_finals`; the other members are not set. */
	struct db_record row;
	struct provenance made;
	char commit[80]; /* of a database: the commit of its run's sources, " with changes" behind
			    one that was not clean; "": unknown */
};

/* Reads one trial of a database; the caller closes *doc. ASC_NOTFOUND when there is none. */
enum asc_status claim_find(const char *db, int64_t trial_id, struct json_doc **doc,
			   struct claim *out, struct asc_err *e);

/* Reads the trial of what a run chose (today_find_chosen), in the same way. */
enum asc_status claim_find_run(const char *db, int64_t run_id, struct json_doc **doc,
			       struct claim *out, struct asc_err *e);

/* First row of a file that `asctune export json` or `asctune best --json` wrote; the others follow
 * it, json_next(). NULL, with *e set, when it is none. */
const struct json_node *claim_first(const struct json_doc *doc, struct asc_err *e);

/* Reads a row. ASC_INPUT where it lacks what is needed to measure it again, or says two things that
 * cannot both be. */
enum asc_status claim_read(const struct json_node *row, struct claim *out, struct asc_err *e);

/* ASC_INPUT where the claim has no time that another one can be compared with: nothing was
 * measured, or it did not pass. */
enum asc_status claim_check(const struct claim *c, struct asc_err *e);

#endif
