/* Rows of up to four tensors one behind the other: what is before the axis counts rows, the axis
 * and what is behind it `columns`. A tensor that is absent has none.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, STREAM (cuda/rows.h). */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS)
	cat(const element *a, const element *b, const element *c, const element *d, element *out,
	    int rows, int columns_a, int columns_b, int columns_c,
	    int columns_d, long long stride_a, long long stride_b, long long stride_c,
	    long long stride_d, long long stride_out)
{
	const int end_a = columns_a, end_b = end_a + columns_b;
	const int end_c = end_b + columns_c;

	parts_walk(rows, end_c + columns_d, [&](int row, int begin, int end) {
		const element *const row_a = a + row * stride_a;
		const element *const row_b = b + row * stride_b - end_a;
		const element *const row_c = c + row * stride_c - end_b;
		const element *const row_d = d + row * stride_d - end_c;
		const Row own(begin, end, [&](int at) {
			const element *from = at < end_a ? row_a : row_b;
			from = at < end_b ? from : at < end_c ? row_c : row_d;
			return pack_load_once<Element>(from + at);
		});
		own.each([&](const Pack<Element> &p, int at, int) {
			pack_write<Element>(out + row * stride_out + at, p);
		});
	});
}
