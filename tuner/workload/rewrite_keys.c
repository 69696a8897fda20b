/* key-filter: of the keys that an autotuner asks for, those that are sizes. */
#include <string.h>

#include "tuner/workload/rewrite.h"

/* Place of a key among those kept: as it is, then with `constexpr` in its name, then with
 * `next_power_of_2`. */
static int rank(const char *key)
{
	return strstr(key, "next_power_of_2") ? 2 : strstr(key, "constexpr") ? 1 : 0;
}

size_t rewrite_key_filter(const char **keys, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (strstr(keys[i], "size"))
			keys[kept++] = keys[i];
	for (size_t i = 1; i < kept; i++) /* by insertion, which is stable */
		for (size_t k = i; k > 0 && rank(keys[k - 1]) > rank(keys[k]); k--) {
			const char *key = keys[k];
			keys[k] = keys[k - 1];
			keys[k - 1] = key;
		}
	return kept < REWRITE_MAX_KEYS ? kept : REWRITE_MAX_KEYS;
}
