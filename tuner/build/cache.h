/* The artifact cache: a folder of files named by content keys, shared by processes.
 *
 *     CACHE/artifacts/ab/ab..yz.so       an artifact (the builder's suffix)
 *     CACHE/artifacts/ab/ab..yz.sum      size and XXH3-64 of the artifact, checked whenever it is
 *                                        found
 *     CACHE/artifacts/ab/ab..yz.files    what the compiler read for it, where it says so, with
 *                                        digests
 *     CACHE/artifacts/ab/ab..yz.log      what the compiler said although it was content
 *     CACHE/artifacts/ab/ab..yz.failed   what it said when it refused
 *     CACHE/artifacts/tmp-*              scratch folders of builds under way
 *
 * Files appear complete, by renaming. The caller owns the cache and every string it gets. */
#ifndef ASCTUNE_BUILD_CACHE_H
#define ASCTUNE_BUILD_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct cache;

enum { CACHE_LOG_BYTES = 65536 };

enum cache_answer { CACHE_NOTHING, CACHE_ARTIFACT, CACHE_FAILURE };

/* Makes the folder and removes scratch folders that are more than an hour old or whose
 * process, of this machine, has ended. */
enum asc_status cache_open(const char *folder, struct cache **out, struct asc_err *e);
void cache_close(struct cache *c);

/* Heap path of the artifact of a key, there or not; NULL when out of memory. */
char *cache_path(const struct cache *c, const char *key, const char *suffix);

/* What is known of a key; its log is appended to `log`. An empty or
 * damaged file is no artifact. */
enum cache_answer cache_find(const struct cache *c, const char *key, const char *suffix,
			     struct buf *log);

/* Does the artifact's list of files hold, or has it none? */
bool cache_is_current(const struct cache *c, const char *key);

/* Moves `file`, which lies in a scratch folder, to where cache_path() says. ASC_CHILD when there is
 * no such file or it is empty. `files` are lines of build/manifest. */
enum asc_status cache_keep(struct cache *c, const char *key, const char *suffix, const char *file,
			   const struct buf *files, const struct buf *log, struct asc_err *e);
enum asc_status cache_keep_failure(struct cache *c, const char *key, const struct buf *log,
				   struct asc_err *e);

bool cache_is_full(const struct cache *c); /* no room on its disk, for this user */

/* An empty folder on the file system of the cache; heap path. */
enum asc_status cache_scratch(struct cache *c, char **out, struct asc_err *e);
void cache_drop_scratch(const char *folder); /* with all that is in it; NULL: nothing */

#endif
