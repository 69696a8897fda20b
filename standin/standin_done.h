/* Results that need not be computed again, in two steps. A launch whose tensors are as it left them
 * has its results in place. One whose inputs have the same contents as an earlier one's, wherever
 * they lie, has the same results, of which a copy is kept. The lock is held throughout. */
#ifndef ASCTUNE_STANDIN_STANDIN_DONE_H
#define ASCTUNE_STANDIN_STANDIN_DONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STANDIN_KEY_WORDS = 320 };

struct standin_key { /* everything that a launch's results depend on but its tensors' contents */
	size_t n;
	int64_t words[STANDIN_KEY_WORDS];
};

void standin_key_add(struct standin_key *k, int64_t word);
/* Adds bytes, in whole words. */
void standin_key_add_bytes(struct standin_key *k, const void *bytes, size_t n);

/* ---- launches whose results are in place ---- */

enum { STANDIN_DONE = 64 }; /* more than the calls of one launch */

/* True where a launch with the key is known, and `written`, the number of the newest write to one
 * of its tensors, is not later than it; *ns becomes its time by the model. */
bool standin_done_find(const struct standin_key *k, uint64_t written, double *ns);

/* Remembers a launch that has just written its results; forgets the oldest of STANDIN_DONE. */
void standin_done_add(const struct standin_key *k, uint64_t written, double ns);

/* ---- copies of results ---- */

struct standin_copy;

/* Finds the copy of results by a key without addresses and with a hash of each input; NULL: there
 * is none. It stays until standin_copy_leave(). */
struct standin_copy *standin_copy_find(const struct standin_key *k);
/* Makes one of `bytes` bytes, to be filled and left; forgets older ones where all would take more
 * than STANDIN_COPY_BYTES. NULL: it is too large, or there is no memory; that loses nothing. */
struct standin_copy *standin_copy_new(const struct standin_key *k, size_t bytes);
void *standin_copy_bytes(struct standin_copy *c);
void standin_copy_leave(struct standin_copy *c);

#define STANDIN_COPY_BYTES ((size_t)256 << 20)

#endif
