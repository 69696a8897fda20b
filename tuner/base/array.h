/* Arrays on the heap that grow by one element at a time. */
#ifndef ASCTUNE_BASE_ARRAY_H
#define ASCTUNE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes sure that a heap array has room for element number `n`: doubles it, or makes its first
 * part. `list` is the address of the pointer to the array, NULL at first, `size` the bytes of an
 * element. False: out of memory, nothing changed. */
bool array_room(void *list, size_t n, size_t *capacity, size_t size);

#endif
