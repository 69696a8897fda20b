/* out = gelu(a) b, element by element, gelu(x) = x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u)) with
 * u = sqrt(2 / pi) (x + 0.044715 x^3).
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, STREAM (cuda/rows.h). */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS)
	geglu(const element *a, const element *b, element *out, int rows, int columns,
	      long long stride_a, long long stride_b, long long stride_out)
{
	rows_map(Matrix<Element>(out, stride_out), rows, columns, Source<Element>{a, stride_a},
		 Source<Element>{b, stride_b}, [](float x, float y) {
			 const float u = 1.5957691216057308F * (x + 0.044715F * x * x * x);
			 return sigmoid_times<Element>(x, u) * y;
		 });
}
