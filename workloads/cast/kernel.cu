/* out = x in the type of `out`, variable U: to the nearest, ties to even.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, STREAM (cuda/rows.h). */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS)
	cast(const element *x, NUMBER(U)::type *out, int rows, int columns,
	     long long stride_x, long long stride_out)
{
	rows_map(Matrix<NUMBER(U)>(out, stride_out), rows, columns, Source<Element>{x, stride_x},
		 [](float value) { return value; });
}
