#include "tuner/worker/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/dtype.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/workload.h"

static int compare_numbers(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Refuses equal elements that are not negative; names the first two of the least. */
static enum asc_status check_different(const char *name, const double *numbers, size_t n,
				       struct asc_err *e)
{
	double *sorted = malloc((n + 1) * sizeof *sorted);
	size_t i = 1, first = 0;

	if (!sorted)
		return asc_err_nomem(e);
	memcpy(sorted, numbers, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, compare_numbers);
	while (i < n && !(sorted[i] >= 0 && sorted[i] == sorted[i - 1]))
		i++;
	if (i < n) {
		while (numbers[first] != sorted[i])
			first++;
		size_t second = first + 1;
		while (numbers[second] != sorted[i])
			second++;
		asc_err_set(
			e, ASC_INPUT,
			"tensor %s: elements %zu and %zu are both %.17g, expected different ones",
			name, first, second, sorted[i]);
	}
	free(sorted);
	return i < n ? ASC_INPUT : ASC_OK;
}

static enum asc_status check_range(const struct binding *b, const struct tensor *t,
				   const double *numbers, size_t n, struct asc_err *e)
{
	const struct contents *v = &t->contents;
	double low = -INFINITY, high = INFINITY;

	if ((v->low.text && binding_real(b, &v->low, &low, e)) ||
	    (v->high.text && binding_real(b, &v->high, &high, e)))
		return e->status;
	if (!v->low.text && !v->high.text)
		return ASC_OK;
	/* NaN is in no range. */
	for (size_t i = 0; i < n; i++)
		if (!(numbers[i] >= low && numbers[i] < high))
			return asc_err_set(e, ASC_INPUT,
					   "tensor %s: element %zu is %.17g, expected at least "
					   "%.17g and less than %.17g",
					   t->name, i, numbers[i], low, high);
	return ASC_OK;
}

enum asc_status inputs_check(const struct binding *b, size_t tensor, const void *contents,
			     struct asc_err *e)
{
	const struct tensor *t = &b->workload->tensors[tensor];
	const size_t n = (size_t)b->tensors[tensor].count;
	double *numbers;

	if (!t->contents.node)
		return ASC_OK;
	numbers = malloc((n + 1) * sizeof *numbers);
	if (!numbers)
		return asc_err_nomem(e);
	dtype_to_double(b->tensors[tensor].dtype, contents, numbers, n);
	enum asc_status s = check_range(b, t, numbers, n, e);
	if (!s && t->contents.different)
		s = check_different(t->name, numbers, n, e);
	free(numbers);
	return s ? asc_err_wrap(e, "%s: problem %s", b->workload->path, b->problem->name) : ASC_OK;
}
