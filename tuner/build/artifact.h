/* An artifact: a file that a builder made of a request, and the builder's metadata about it.
 *
 * The caller owns the storage: a zeroed struct artifact is none; artifact_fini(). */
#ifndef ASCTUNE_BUILD_ARTIFACT_H
#define ASCTUNE_BUILD_ARTIFACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/hash.h"
#include "tuner/code/run_digest.h"

enum { ARTIFACT_DIGEST_SIZE = 40 };

/* id, name, meaning */
#define ARTIFACT_OUTCOME_LIST(X)                                                                   \
	X(NONE, "none", "no verdict")                                                              \
	X(BUILT, "built", "there is a file")                                                       \
	X(REFUSED, "refused", "the compiler found the source at fault")                            \
	X(PLANNED, "planned", "it would compile: a verdict without a file")

enum artifact_outcome {
#define X(id, name, meaning) ARTIFACT_##id,
	ARTIFACT_OUTCOME_LIST(X)
#undef X
};

struct artifact {
	enum artifact_outcome outcome;
	char *path;                        /* BUILT, else NULL; heap */
	char key[HASH_TEXT_SIZE];          /* content key of the inputs */
	char digest[ARTIFACT_DIGEST_SIZE]; /* BUILT: digest of the file */
	char runs[RUN_DIGEST_SIZE];        /* BUILT: digest of what runs of it */
	char *metadata; /* an object of JSON (workload/binding/plan_metadata), heap; NULL: the
			   workload says all */
};

void artifact_fini(struct artifact *a);

/* Prints a digest: a number of bytes and a hash. */
void artifact_digest_print(size_t bytes, uint64_t hash, char digest[ARTIFACT_DIGEST_SIZE]);
/* Prints the digest of a file's content. */
void artifact_digest(const char *data, size_t n, char digest[ARTIFACT_DIGEST_SIZE]);

/* True while the file is as it was built: others may remove or damage it in the cache. True, too,
 * where nothing was compiled. */
bool artifact_holds(const struct artifact *a);

const char *artifact_outcome_name(enum artifact_outcome o);
bool artifact_outcome_parse(const char *name, enum artifact_outcome *out);

#endif
