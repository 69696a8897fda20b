/* y = 2 x, behind a chain of operations that each wait for the one before. A head that is to be
 * slower has more turns, for each size of its own. */
#include <stdint.h>

#define TURNS(size) 10000 /* of every ten thousand */

void chain(const float *x, float *y, int64_t n, int64_t work)
{
	const int64_t turns = work * TURNS(work) / 10000;
	double chain = x[0];

	for (int64_t i = 0; i < turns; i++)
		chain = chain * 0.5 + 1;
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	if (chain > 3) /* never: the limit is 2; so that it is computed */
		y[0] = 0;
}
