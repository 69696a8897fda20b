/* out = silu(gate) up of rows x = [gate | up], silu(z) = z / (1 + exp(-z)); `columns` are those of
 * `out`.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, STREAM (cuda/rows.h). */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS)
	silu_and_mul(const element *x, element *out, int rows, int columns,
		     long long stride_x, long long stride_out)
{
	rows_map(Matrix<Element>(out, stride_out), rows, columns, Source<Element>{x, stride_x},
		 Source<Element>{x + columns, stride_x},
		 [](float z, float up) { return sigmoid_times<Element>(z, z) * up; });
}
