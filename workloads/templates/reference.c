/* @NAME@: the right answer, over doubles whatever the types of the tensors are.
 *
 * Change: what is computed, as simply as possible, and with it the tolerance under "verify" in
 * @NAME@.json, which says how far from this a right kernel may be. */
#include <stdint.h>

void reference(const double *x, const double *y, double *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = x[i] + y[i];
}
