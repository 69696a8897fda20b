/* Which contents of a problem's tensors are in files, and the digests of these, which are part of
 * the problem's key: b->digests, which binding_files.h fills. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_DIGESTS_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_DIGESTS_H

#include <stdbool.h>
#include <stddef.h>

struct binding;
struct json_writer;

/* Content of a tensor before a launch, an input's, and what a launch has left in it. */
enum content { CONTENT_BEFORE, CONTENT_AFTER, CONTENTS };

bool binding_has_files(const struct binding *b);

/* Number of sets of inputs, 1 for a problem without files. */
size_t binding_sets(const struct binding *b);

/* Number of digests that a problem has room for, and the place of one among them: that of set 0
 * for a file that is the same in all sets. */
size_t binding_count_digests(const struct binding *b);
size_t binding_digest_place(const struct binding *b, size_t set, size_t i, enum content what);

/* The digest of one content; "": no file has it, or it is not known. */
const char *binding_digest(const struct binding *b, size_t set, size_t i, enum content what);

/* Writes the digests as a list of texts, for binding_take_digests(). */
void binding_write_digests(const struct binding *b, struct json_writer *w, const char *key);

#endif
