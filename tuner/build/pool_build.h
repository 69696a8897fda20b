/* One build of the pool: a key, the command that makes its artifact, and what came of it. The pool
 * owns builds and calls these in order: build_recall() or build_start(), build_advance() until it
 * is true. */
#ifndef ASCTUNE_BUILD_POOL_BUILD_H
#define ASCTUNE_BUILD_POOL_BUILD_H

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/proc.h"
#include "tuner/build/builder.h"
#include "tuner/build/cache.h"

struct residents;
struct ticket;

struct build {
	struct build *next;
	char key[HASH_TEXT_SIZE];
	const struct builder_ops *ops;
	struct build_job job;
	struct ticket *tickets; /* who waits for it; the pool's */
	char *scratch, *output;
	struct proc proc;      /* pid 0: not started; after the end: one that stays, or 0 */
	const char *rule_name; /* as its command's; static */
	bool resident;         /* it is one that stays */
	bool silent;           /* has closed its output */
	unsigned tries;
	int64_t start_ns;

	/* what came of it */
	bool ok, cached;
	struct buf words;       /* the compiler's */
	struct asc_err failure; /* status ASC_OK: the compiler's verdict, see `words` */
	int64_t spent_ns;
};

/* The content key of a job. */
enum asc_status build_key(const struct builder_ops *ops, const struct build_job *job,
			  char key[HASH_TEXT_SIZE], struct asc_err *e);

struct build *build_new(const char *key, const struct builder_ops *ops,
			const struct build_job *job); /* NULL when out of memory */
void build_free(struct build *b);                     /* kills its command */

/* True when the cache knows what comes of it. */
bool build_recall(struct build *b, const struct cache *c);

/* Forgets what came of it, for another try. */
void build_reset(struct build *b);

/* Failing, it sets `failure` too. */
enum asc_status build_start(struct build *b, struct cache *c, struct residents *r);

/* Looks after a running command without waiting; true when it has ended, or was ended because it
 * ran for longer than limit_ns. */
bool build_advance(struct build *b, struct cache *c, int64_t limit_ns);

#endif
