/* One build of the pool: a key, the command that makes its artifact, and what came of it. The pool
 * owns builds and calls these in order: build_recall() or build_start(), build_advance() until it
 * is true. */
#ifndef ASCTUNE_BUILD_POOL_BUILD_H
#define ASCTUNE_BUILD_POOL_BUILD_H

#include "tuner/base/hash.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/cache.h"
#include "tuner/build/compile_server.h"
#include "tuner/process/proc.h"

struct ticket;

struct build {
	struct build *next;
	char key[HASH_TEXT_SIZE];
	const struct builder_ops *ops;
	struct build_request request;
	double weight;          /* from builder_ops.weight */
	struct ticket *tickets; /* submissions that wait for it; the pool's */
	char *scratch, *output;
	struct proc proc;              /* process of this command alone; pid 0: none */
	struct compile_server *server; /* server that runs it; NULL: `proc` does */
	const char *rule_name;         /* as its command's; static */
	unsigned tries;
	bool left;          /* nobody waits for it (pool_leave()) */
	bool locked;        /* its key is, in the cache */
	int64_t waiting_ns; /* time since when another process builds it; 0: none does */
	int64_t start_ns;

	/* outcome */
	struct cache_entry entry;
	bool cached;
	struct asc_err failure; /* status ASC_OK: the compiler's verdict, in `entry` */
	int64_t spent_ns;
};

/* The content key of a request. */
enum asc_status build_key(const struct builder_ops *ops, const struct build_request *r,
			  char key[HASH_TEXT_SIZE], struct asc_err *e);

/* Takes what `r` holds. NULL when out of memory. */
struct build *build_new(const char *key, const struct builder_ops *ops, struct build_request *r);
void build_free(struct build *b); /* kills its command */

/* Kills its command and forgets what came of it, for another try. */
void build_reset(struct build *b);

/* The process that runs it; its pid is 0 where none does. */
const struct proc *build_proc(const struct build *b);
pid_t build_pid(const struct build *b);

/* Identity of a builder's compiler: compile servers of two identities serve different builds. */
enum asc_status build_server_toolchain(const struct builder_ops *ops, const struct build_command *c,
				       struct buf *out, struct asc_err *e);

/* True when the cache knows what comes of it. */
bool build_recall(struct build *b, const struct cache *c);

/* Failing, it sets `failure` too. */
enum asc_status build_start(struct build *b, struct cache *c, struct compile_servers *servers,
			    int64_t limit_ns);

/* Looks after a running command without waiting; true when it has ended, or was ended because it
 * ran for longer than limit_ns. */
bool build_advance(struct build *b, struct cache *c, int64_t limit_ns);

#endif
