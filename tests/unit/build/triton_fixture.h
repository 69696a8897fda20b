/* Builds of Triton kernels in a pool whose cache is a temporary folder, for tests of their builder.
 */
#ifndef ASCTUNE_TESTS_UNIT_BUILD_TRITON_FIXTURE_H
#define ASCTUNE_TESTS_UNIT_BUILD_TRITON_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/build/build_request.h"

struct pool;
struct pool_done;

extern struct pool *pool;

/* Opens the pool; false, and skipped, where there is no Triton. */
bool fixture_init(void);
void fixture_fini(void);

/* Closes the pool and opens another on the same cache. */
bool reopen_pool(size_t jobs, int64_t limit_ns);

/* Begins a request for a kernel of a file of tests/data/triton, of an absolute path, or of a module
 * ("NAME:"). */
void begin(struct build_request *r, const char *source, const char *entry, const char *arch);
void pass(struct build_request *r, enum build_argument_kind kind, enum dtype type, int64_t number);

/* Begins a request for a kernel scale(x, y, n, s, WIDTH). */
void begin_scale(struct build_request *r, const char *source, const char *entry, const char *arch,
		 int64_t n);

/* Key of a request, which it ends; one of the last 16. */
const char *key(struct build_request *r);

/* Builds a request, which it ends; the caller ends what is returned. */
struct pool_done build(struct build_request *r);
bool is_built(const struct pool_done *d);
const char *metadata(const struct pool_done *d); /* "": none */

/* Checks that a request is built, with these parameters in its metadata. */
void check_parameters(const char *what, struct build_request *r, const char *parameters);

#endif
