/* out = [input0 | input1 | input2 | input3]; one call per row. Nothing is calculated, so that the
 * comparison of cat.json is exact. An absent input is NULL and has no columns. */
#include <stdint.h>

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void cat_reference(const double *input0, const double *input1, const double *input2,
		   const double *input3, double *out, int64_t n0, int64_t n1, int64_t n2,
		   int64_t n3, int64_t block_x)
{
	const double *const inputs[4] = {input0, input1, input2, input3};
	const int64_t columns[4] = {n0, n1, n2, n3};
	double *to = out + block_x * (n0 + n1 + n2 + n3);
	for (int i = 0; i < 4; i++)
		for (int64_t j = 0; j < columns[i]; j++)
			*to++ = inputs[i][block_x * columns[i] + j];
}
