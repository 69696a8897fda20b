/* The artifact cache: a folder of files named by content keys, shared by processes.
 *
 *     CACHE/artifacts/ab/ab..yz.so       an artifact (the builder's suffix)
 *     CACHE/artifacts/ab/ab..yz.json     the builder's metadata, if any; alone: a plan
 *     CACHE/artifacts/ab/ab..yz.sum      a line "SIZE XXH3-64" of the artifact, then one of the
 *                                        .json, with that word behind it: both are checked
 *                                        whenever they are found; then a line of the digest of
 *                                        what runs, which those of older versions lack
 *     CACHE/artifacts/ab/ab..yz.files    what the compiler read for it, where it says so, with
 *                                        digests
 *     CACHE/artifacts/ab/ab..yz.log      what the compiler said although it was content
 *     CACHE/artifacts/ab/ab..yz.failed   what it said when it refused
 *     CACHE/artifacts/tmp-*              scratch folders of builds under way
 *     CACHE/artifacts/lock               a byte for each key, locked by the process that builds it
 *     CACHE/artifacts/tmp-*              scratch of processes: a folder for each build and worker
 *
 * Files appear complete, by renaming. The caller owns the cache and every string it gets. */
#ifndef ASCTUNE_BUILD_CACHE_H
#define ASCTUNE_BUILD_CACHE_H

#include <stdbool.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/build/artifact.h"

struct cache;

enum { CACHE_LOG_BYTES = 65536 };

/* Contents of the cache under a key; zeroed, then cache_entry_fini(). */
struct cache_entry {
	enum artifact_outcome outcome;
	char digest[ARTIFACT_DIGEST_SIZE]; /* BUILT: digest of the artifact */
	char runs[RUN_DIGEST_SIZE];        /* BUILT: digest of what runs of it */
	struct buf metadata;               /* "": none */
	struct buf log;                    /* the compiler's words */
	struct buf files;                  /* lines of build/manifest; written, not read */
};
void cache_entry_fini(struct cache_entry *e);

/* Makes the folder and removes scratch folders that are more than an hour old or whose
 * process, of this machine, has ended. */
enum asc_status cache_open(const char *folder, struct cache **out, struct asc_err *e);
void cache_close(struct cache *c);

/* Locks a key that is to be built; false: another process builds it. The lock ends with the process
 * at the latest, however that ends. True where the file system has no locks: several may build the
 * same then, and what they keep is the same. */
bool cache_lock(struct cache *c, const char *key);
void cache_unlock(struct cache *c, const char *key);

/* Heap path of the artifact of a key, there or not; NULL when out of memory. */
char *cache_path(const struct cache *c, const char *key, const char *suffix);

/* Finds the verdict under a key; ARTIFACT_NONE: there is none, or it is empty or damaged. */
void cache_find(const struct cache *c, const char *key, const char *suffix,
		struct cache_entry *out);

/* Appends the lines of build/manifest that were kept with an artifact; nothing where there are
 * none. */
void cache_read_files(const struct cache *c, const char *key, struct buf *files);

/* Keeps a verdict, of an artifact with `file`, which lies in a scratch folder and is moved to where
 * cache_path() says; sets entry->digest
 * and entry->runs. ASC_CHILD when there is no such file or it is empty. */
enum asc_status cache_keep(struct cache *c, const char *key, const char *suffix, const char *file,
			   struct cache_entry *entry, struct asc_err *e);

/* True when its disk has no room for this user. */
bool cache_is_full(const struct cache *c);

/* The folder of all scratch folders of this process, made when needed; borrowed. It goes with the
 * process, however that ends. */
enum asc_status cache_scratch_root(struct cache *c, const char **out, struct asc_err *e);

/* Makes an empty folder in it; heap path. */
enum asc_status cache_scratch(struct cache *c, char **out, struct asc_err *e);
/* Removes the folder with all that is in it; NULL: does nothing. */
void cache_drop_scratch(const char *folder);

#endif
