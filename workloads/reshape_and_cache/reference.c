/* Copies the tokens' keys and values to their slots of the cache, all in one call. A negative slot
 * is padding. Nothing is calculated, so results are exact. */
#include <stdint.h>

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void reshape_and_cache_reference(const double *key, const double *value, const double *slot_mapping,
				 double *kv_cache, int64_t m, int64_t n, int64_t slots)
{
	for (int64_t token = 0; token < m; token++) {
		const int64_t slot = (int64_t)slot_mapping[token];
		for (int64_t i = 0; slot >= 0 && i < n; i++) {
			kv_cache[slot * n + i] = key[token * n + i];
			kv_cache[(slots + slot) * n + i] = value[token * n + i];
		}
	}
}
