/* Copies keys and values of tokens, n elements each, to their slots of a cache with `slots` places
 * for keys and as many for values behind them. A negative slot is padding. One call takes `block`
 * tokens, which are in_step elements apart in key and value. STREAM and PREFETCH are build-stage
 * parameters. */
#include <stdint.h>

#include "../cpu/rows.h"

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void reshape_and_cache(const element *key, const element *value, const CTYPE_S *slot_mapping,
		       element *kv_cache, int64_t m, int64_t n, int64_t in_step, int64_t slots,
		       int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = least(first + block, m);
	const int64_t bytes = n * (int64_t)sizeof *key;
	for (int64_t token = first; token < end; token++) {
		const int64_t slot = slot_mapping[token];
		if (slot < 0)
			continue;
		bytes_copy(kv_cache + slot * n, key + token * in_step, bytes);
		bytes_copy(kv_cache + (slots + slot) * n, value + token * in_step, bytes);
	}
	if (STREAM)
		STREAM_END();
}
