#include "tuner/base/names.h"

#include <string.h>

bool name_find(const char *const *names, size_t n, const char *name, size_t *value)
{
	for (size_t i = 0; name && i < n; i++)
		if (strcmp(name, names[i]) == 0) {
			*value = i;
			return true;
		}
	return false;
}
