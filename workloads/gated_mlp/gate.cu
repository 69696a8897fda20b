/* Gate behind two matrix products, out = silu(gates) values, of sums in float.
 *
 * Parameters: THREADS, LANES, VECTOR (cuda/rows.h). */
#include "../cuda/rows.h"

extern "C" __global__ void gate(const float *gates, const float *values, element *out,
				int rows, int columns)
{
	typedef Number<DTYPE_f32> Sums;
	rows_map(Matrix<Element>(out, columns), rows, columns, Source<Sums>{gates, columns},
		 Source<Sums>{values, columns},
		 [](float z, float value) { return sigmoid_times<Element>(z, z) * value; });
}
