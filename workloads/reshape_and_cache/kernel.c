/* Copies keys and values of tokens, n elements each, to their slots of a cache with `slots` places
 * for keys and as many for values behind them. A negative slot is padding. One call takes `block`
 * tokens, which are in_step elements apart in key and value. */
#include <stdint.h>
#include <string.h>

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void reshape_and_cache(const CTYPE_T *restrict key, const CTYPE_T *restrict value,
		       const CTYPE_S *restrict slot_mapping, CTYPE_T *restrict kv_cache, int64_t m,
		       int64_t n, int64_t in_step, int64_t slots, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < m ? first + block : m;
	for (int64_t token = first; token < end; token++) {
		const int64_t slot = slot_mapping[token];
		const size_t bytes = (size_t)n * sizeof *key;
		if (slot < 0)
			continue;
		memcpy(kv_cache + slot * n, key + token * in_step, bytes);
		memcpy(kv_cache + (slots + slot) * n, value + token * in_step, bytes);
	}
}
