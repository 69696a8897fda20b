/* Sources, a compiler and a cache of their own in a temporary folder, for tests of what compiles
 * them. The compiler adds a line to the file "compiled" each time it compiles. */
#ifndef ASCTUNE_TESTS_UNIT_BUILD_BUILD_FIXTURE_H
#define ASCTUNE_TESTS_UNIT_BUILD_BUILD_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tuner/base/err.h"

struct build_request;
struct pool;
struct pool_done;

#define LIMIT_NS INT64_C(60000000000)

extern char scratch[300], cache[340]; /* the folder, and the cache in it */

/* Makes the folder, with sources and compiler; false when there is none. */
bool fixture_init(void);
void fixture_fini(void);

/* Writes a file into the folder. */
void put(const char *name, const char *text, mode_t mode);

/* Lines of a file in the folder; 0 without one. */
size_t count_lines(const char *name);

/* Scratch folders that builds have left in the cache. */
size_t count_leftovers(void);

/* Request for one of the sources; `width` is the value of a macro of theirs. */
void request_init(struct build_request *r, const char *source, const char *width);

/* Replaces a heap string by a copy of another. */
void replace(char **text, const char *with);

/* NULL after a failed check. */
struct pool *open_pool(size_t jobs, int64_t limit_ns);

enum asc_status submit(struct pool *p, uint64_t id, const char *source, struct asc_err *e);

/* Builds one request, or the request for a source, alone in a pool; the caller ends *done. */
void build_request(struct build_request *r, int64_t limit_ns, struct pool_done *done);
void build(const char *source, struct pool_done *done);
bool is_built(const struct pool_done *d);

#endif
