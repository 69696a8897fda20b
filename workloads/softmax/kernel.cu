/* Softmax of the rows of a matrix: out = exp(x - max(x)) / sum(exp(x - max(x))).
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, UNROLL, STREAM (cuda/rows.h); KEEP, weights are kept,
 * not made again; MIN_BLOCKS, how many blocks a multiprocessor is to hold. */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
	softmax(const element *x, element *out, int rows, int columns)
{
	rows_softmax(Matrix<Element>(out, columns), rows, columns,
		     Source<Element>{x, columns},
		     [=](int) { return columns; });
}
