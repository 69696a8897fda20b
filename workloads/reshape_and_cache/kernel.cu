/* Keys and values of tokens written into a cache: those of a token at its slot, a row of `columns`
 * in each half of the cache; a negative slot writes nothing.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, STREAM (cuda/rows.h). */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS)
	reshape_and_cache(const element *key, const element *value, const CTYPE_S *slots,
			  element *cache, int tokens, int columns, long long stride_key,
			  long long stride_value, long long cache_slots)
{
	const int half = columns;

	parts_walk(tokens, 2 * columns, [&](int token, int begin, int end) {
		const long long slot = begin < end ? slots[token] : -1;
		const element *const keys = key + token * stride_key;
		const element *const values = value + token * stride_value - half;
		const Row own(begin, end, [&](int at) {
			return pack_load_once<Element>((at < half ? keys : values) + at);
		});
		if (slot < 0)
			return;
		element *const to = cache + slot * columns;
		element *const to_values = to + cache_slots * columns - half;
		own.each([&](const Pack<Element> &p, int at, int) {
			pack_write<Element>((at < half ? to : to_values) + at, p);
		});
	});
}
