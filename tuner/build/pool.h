/* The build pool: runs builders' commands as child processes, as many at once as asked for, through
 * the artifact cache.
 *
 * The caller owns the pool: pool_open(), pool_close() (kills what still runs). One thread; those
 * who share a pool take their own builds (pool_take_mine()). */
#ifndef ASCTUNE_BUILD_POOL_H
#define ASCTUNE_BUILD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/build/artifact.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"

struct buf;
struct pool;
struct pollfd;

struct pool_done {
	uint64_t id;
	struct artifact artifact; /* outcome NONE: timeout, or trouble */
	bool cached;              /* from the cache, or made by an equal build that was under way */
	bool timeout;
	enum asc_status trouble; /* not ASC_OK: failed, in three tries where these may help, for a
				    reason of this machine (disk full, compiler killed), says
				    nothing of the source, and is not remembered */
	bool hopeless;           /* such a failure that others would have, too */
	char *log;               /* the compiler's words, heap; may be NULL */
	char *reason;            /* one line, heap; NULL unless refused, timeout or trouble */
	int64_t begin_ns;        /* when the command began (clock_now_ns()) */
	int64_t spent_ns;        /* wall time of the command; 0: this submission had none */
};

/* `cache` is the cache folder; `limit_ns` bounds each command. */
enum asc_status pool_open(const char *cache, size_t jobs, int64_t limit_ns, struct pool **out,
			  struct asc_err *e);
void pool_close(struct pool *p);

/* Has the pool build all it is asked for anew from now on, once, whatever the cache has: in a
 * scratch folder of the cache that goes with the pool. pool_recall() still finds what the cache
 * has. */
enum asc_status pool_rebuild(struct pool *p, struct asc_err *e);

/* Starts or queues one build. What is in the cache is done at once; an equal build under way is
 * joined, not repeated; a build that the same toolchain refused before is not tried again (its log
 * is in the cache too) unless something was not found. Takes what the request holds, failing too.
 * Fails only for trouble of our own. */
enum asc_status pool_submit(struct pool *p, uint64_t id, const struct builder_ops *ops,
			    struct build_request *r, struct asc_err *e);

/* Forgets a submission: its result does not come. A command that nobody else waits for is killed.
 */
void pool_cancel(struct pool *p, uint64_t id);

/* Forgets a submission. Its build goes on behind all that somebody waits for: a later submission
 * joins it, or finds it in the cache. */
void pool_leave(struct pool *p, uint64_t id);

/* Stops the commands that run, and starts none until they go on. */
void pool_pause(struct pool *p, bool pause);

/* Starts a builder's compilers that stay (build/compile_server), at most `most`, so that the first
 * builds need not wait for them. Nothing for other builders; a failure is reported by the first
 * build that meets it. */
void pool_warm(struct pool *p, const struct builder_ops *b, const char *program, size_t most);

/* The artifact that a builder made under a content key, if the cache still has it; false when it is
 * gone, damaged, or there is no memory. */
bool pool_recall(const struct pool *p, const struct builder_ops *b, const char *key,
		 struct artifact *out);

/* Keep and find a text under a content key, sealed as artifacts are: names of the artifacts that
 * one configuration consists of. What is there stays. */
enum asc_status pool_keep_list(struct pool *p, const char *key, const struct buf *list,
			       struct asc_err *e);
bool pool_recall_list(const struct pool *p, const char *key, struct buf *list);

/* Makes an empty folder on the file system of the cache, which goes with the pool; heap path. */
enum asc_status pool_scratch(struct pool *p, char **out, struct asc_err *e);

size_t pool_pending(const struct pool *p); /* submitted and not yet taken */

/* Builds that somebody waits for, running or waiting for a place. */
size_t pool_running(const struct pool *p);

/* Waits up to timeout_ns (0: not at all; -1: until something is done) and takes one finished build;
 * false when none. */
bool pool_take(struct pool *p, int64_t timeout_ns, struct pool_done *out);

/* True for a submission of whoever asks; `user` is the asker's. */
typedef bool pool_is_mine_fn(const void *user, uint64_t id);

/* Takes one of the asker's finished builds (is_mine NULL: anyone's) without waiting: for a pool
 * that several share. */
bool pool_take_mine(struct pool *p, pool_is_mine_fn *is_mine, const void *user,
		    struct pool_done *out);
void pool_done_fini(struct pool_done *d);

/* Descriptors to watch, for callers that wait for other things too; returns how many were stored.
 * Time limits are looked after in pool_take(). */
size_t pool_pollfds(const struct pool *p, struct pollfd *fds, size_t max);

#endif
