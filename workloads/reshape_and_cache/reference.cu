/* Reference on a GPU: in double what reference.c computes, for tensors that take a CPU too long. No
 * two tokens have one slot. */
#include "../cuda/reference.h"

extern "C" __global__ void reshape_and_cache_reference(const double *key, const double *value,
						       const double *slots, double *cache,
						       long long tokens, long long columns,
						       long long cache_slots)
{
	each_element(tokens * columns, [=](long long i) {
		const long long slot = (long long)slots[i / columns], at = i % columns;
		if (slot < 0)
			return;
		cache[slot * columns + at] = key[i];
		cache[(cache_slots + slot) * columns + at] = value[i];
	});
}
