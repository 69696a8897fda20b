/* out = a b, element by element.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, STREAM (cuda/rows.h). */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS)
	mul(const element *a, const element *b, element *out, int rows, int columns,
	    long long stride_a, long long stride_b, long long stride_out)
{
	rows_map(Matrix<Element>(out, stride_out), rows, columns, Source<Element>{a, stride_a},
		 Source<Element>{b, stride_b}, [](float x, float y) { return x * y; });
}
