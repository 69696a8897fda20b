/* Shares of a run: which part of the problems a command tunes while other machines tune the rest,
 * and what they are dealt out by. Strings are borrowed during a visit. */
#ifndef ASCTUNE_DB_SHARE_H
#define ASCTUNE_DB_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/hash.h"

struct db;

struct db_share {
	int64_t number, count;          /* share `number` (1 ..) of `count` */
	const char *way;                /* what is dealt out: "problems", "configurations" */
	const char *dealt;              /* digest of all problems and their files */
	int64_t problems, all_problems; /* of this share; of all */
	uint64_t seed;
	const char *version, *history; /* history: digest of the runs that it was dealt out by;
					  NULL: there were none */
};

/* Records that a share begins, and that it has ended. */
enum asc_status db_begin_share(struct db *d, const struct db_share *v, int64_t *share_id,
			       struct asc_err *e);
enum asc_status db_end_share(struct db *d, int64_t share_id, const char *outcome,
			     struct asc_err *e);

struct db_share_state {
	const char *uid; /* the same in merged databases */
	struct db_share share;
	int64_t started_ms;
	const char *outcome; /* NULL: in progress, or killed */
};

typedef enum asc_status db_share_fn(void *user, const struct db_share_state *s, struct asc_err *e);

/* Visits the shares of a database, the oldest first. */
enum asc_status db_each_share(struct db *d, db_share_fn *visit, void *user, struct asc_err *e);

/* Digest of which runs a database has, ended or not; the same in merged databases. */
enum asc_status db_digest_runs(struct db *d, char text[HASH_TEXT_SIZE], struct asc_err *e);

#endif
