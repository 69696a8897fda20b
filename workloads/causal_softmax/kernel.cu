/* Softmax of the rows of matrices [queries, keys] of scores, of which query i sees the first
 * keys - queries + i + 1 and the others have a weight of 0. `rows` are those of all matrices.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, UNROLL, STREAM (cuda/rows.h); KEEP, weights are kept,
 * not made again; MIN_BLOCKS, how many blocks a multiprocessor is to hold. */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
	causal_softmax(const element *x, element *out, int rows, int queries,
		       int keys, long long stride, long long matrix_gap, long long stride_out)
{
	rows_softmax(Matrix<Element>(out, stride_out), rows, keys,
		     Source<Element>{x, stride, queries, matrix_gap}, [=](int row) {
			     /* The first read waits for this: no division where there is one matrix. */
			     const int query = row < queries ? row : row % queries;
			     return keys - queries + query + 1;
		     });
}
