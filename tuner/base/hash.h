/* Content keys: XXH3-128 over a sequence of length-prefixed fields, as 32 hexadecimal digits.
 *
 * The caller owns a struct hash: hash_init(), then fields, then hash_end(), which is due on every
 * way out. A failure on the way is remembered, what is added after it is passed over, and
 * hash_end() reports it. */
#ifndef ASCTUNE_BASE_HASH_H
#define ASCTUNE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

#define HASH_TEXT_SIZE 33

struct XXH3_state_s;
struct long_text;

struct hash {
	struct XXH3_state_s *state;
	struct asc_err failure; /* status ASC_OK: none so far */
};

void hash_init(struct hash *h);
void hash_add(struct hash *h, const void *data,
	      size_t n);                                 /* one field: its length, then its bytes */
void hash_add_long(struct hash *h, struct long_text *t); /* as hash_add() of the same text */
void hash_add_str(struct hash *h, const char *s); /* NULL is a field of its own kind, not "" */

/* Prints the key and frees what `h` holds. Fails with the first failure on the way: `text` is not
 * written then. */
enum asc_status hash_end(struct hash *h, char text[HASH_TEXT_SIZE], struct asc_err *e);

uint64_t hash_bytes(const void *data, size_t n); /* XXH3-64 of one block */

/* The same for processors with AVX2, for hash_bytes() alone. Not with AVX-512: multiplying in that
 * lowers the clock of some processors for most of a millisecond, and the next launch may be timed.
 */
uint64_t hash_wide(const void *data, size_t n);

#endif
