/* Content keys: XXH3-128 over a sequence of length-prefixed fields, as 32 hexadecimal digits. */
#ifndef ASCTUNE_BASE_HASH_H
#define ASCTUNE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_TEXT_SIZE 33

struct hash;

struct hash *hash_new(void); /* NULL when out of memory */
void hash_free(struct hash *h);
void hash_add(struct hash *h, const void *data,
	      size_t n);                          /* one field: its length, then its bytes */
void hash_add_str(struct hash *h, const char *s); /* NULL is a field of its own kind, not "" */
void hash_print(const struct hash *h, char text[HASH_TEXT_SIZE]);

uint64_t hash_bytes(const void *data, size_t n); /* XXH3-64 of one block */

#endif
