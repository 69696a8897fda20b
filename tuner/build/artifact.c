#include "tuner/build/artifact.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/names.h"

static const char *const names[] = {ARTIFACT_OUTCOME_LIST(NAME_OF_THREE)};

void artifact_fini(struct artifact *a)
{
	free(a->path);
	free(a->metadata);
	*a = (struct artifact){0};
}

void artifact_digest_print(size_t bytes, uint64_t hash, char digest[ARTIFACT_DIGEST_SIZE])
{
	(void)snprintf(digest, ARTIFACT_DIGEST_SIZE, "%zu %016" PRIx64, bytes, hash);
}

void artifact_digest(const char *data, size_t n, char digest[ARTIFACT_DIGEST_SIZE])
{
	artifact_digest_print(n, hash_bytes(data, n), digest);
}

bool artifact_holds(const struct artifact *a)
{
	char digest[ARTIFACT_DIGEST_SIZE];
	struct buf bytes = {0};
	struct asc_err e;

	if (!*a->digest)
		return true;
	enum asc_status s = file_read(a->path, 0, &bytes, &e);
	artifact_digest(buf_str(&bytes), bytes.len, digest);
	buf_fini(&bytes);
	return s == ASC_NOMEM || (s == ASC_OK && strcmp(digest, a->digest) == 0);
}

const char *artifact_outcome_name(enum artifact_outcome o)
{
	return names[o];
}

bool artifact_outcome_parse(const char *name, enum artifact_outcome *out)
{
	size_t value;

	if (!name_find(names, sizeof names / sizeof *names, name, &value))
		return false;
	*out = (enum artifact_outcome)value;
	return true;
}
