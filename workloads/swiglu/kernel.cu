/* out = x silu(gate), element by element, silu(z) = z / (1 + exp(-z)).
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, STREAM (cuda/rows.h). */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS)
	swiglu(const element *x, const element *gate, element *out, int rows,
	       int columns, long long stride_x, long long stride_gate, long long stride_out)
{
	rows_map(Matrix<Element>(out, stride_out), rows, columns, Source<Element>{x, stride_x},
		 Source<Element>{gate, stride_gate},
		 [](float value, float z) { return sigmoid_times<Element>(z, z) * value; });
}
