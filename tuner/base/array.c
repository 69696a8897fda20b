#include "tuner/base/array.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

bool array_room(void *list, size_t n, size_t *capacity, size_t size)
{
	const size_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;
	void *old;

	if (n < *capacity)
		return true;
	memcpy(&old, list, sizeof old); /* whatever the pointer's type is */
	void *more = realloc(old, wanted * size);
	if (!more)
		return false;
	memcpy(list, &more, sizeof more);
	*capacity = wanted;
	return true;
}
