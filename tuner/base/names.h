/* Names of enumerated values, in the order of the values, from the X list that makes the values
 * too: `static const char *const names[] = {SOME_LIST(NAME_OF)};` */
#ifndef ASCTUNE_BASE_NAMES_H
#define ASCTUNE_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define NAME_OF(id, name) name,

/* Parts of a line of lists that say more of a value. */
#define NAME_OF_THREE(id, name, meaning)    name,
#define MEANING_OF_THREE(id, name, meaning) meaning,

/* The value that a name stands for; false: none, or `name` is NULL. */
bool name_find(const char *const *names, size_t n, const char *name, size_t *value);

#endif
