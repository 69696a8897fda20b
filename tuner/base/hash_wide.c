/* XXH3 compiled for wider vectors than the library is (CMakeLists.txt): the same numbers sooner. */
#include "tuner/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_wide(const void *data, size_t n)
{
	return XXH3_64bits(data, n);
}
