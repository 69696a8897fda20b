/* Strides against where the elements lie, counted one by one.
 * covers: strides.c */
#include "tuner/base/strides.h"

#include <string.h>

#include "tests/tap.h"

enum { RANK = 3, PLACES = 64 };

/* True where two elements of a small tensor lie in one place. */
static bool meet(const int64_t *shape, const int64_t *strides)
{
	bool taken[PLACES] = {false};

	for (int64_t i = 0; i < shape[0]; i++)
		for (int64_t j = 0; j < shape[1]; j++)
			for (int64_t k = 0; k < shape[2]; k++) {
				const int64_t at = i * strides[0] + j * strides[1] + k * strides[2];

				if (taken[at])
					return true;
				taken[at] = true;
			}
	return false;
}

/* Counts, over all tensors of up to 3 x 3 x 3 elements with strides of 0 to 7, those that meet and
 * are not found, and those that are found for nothing. */
static void count(size_t *missed, size_t *careful, size_t *found)
{
	for (int n = 0; n < 27 * 512; n++) {
		const int64_t shape[RANK] = {1 + n % 3, 1 + n / 3 % 3, 1 + n / 9 % 3};
		const int64_t strides[RANK] = {n / 27 % 8, n / 216 % 8, n / 1728};
		const bool have = strides_overlap(shape, strides, RANK);

		*found += have;
		*missed += !have && meet(shape, strides);
		*careful += have && !meet(shape, strides);
	}
}

int main(void)
{
	const int64_t shape[] = {2, 3, 4}, in_order[] = {12, 4, 1};
	const int64_t huge[] = {3, 2}, far[] = {INT64_MAX, 1};
	int64_t strides[RANK];
	size_t missed = 0, careful = 0, found = 0;

	strides_set(shape, RANK, strides);
	tap_ok(memcmp(strides, in_order, sizeof strides) == 0, "one element after another");
	tap_ok(!strides_overlap(shape, strides, RANK), "these do not overlap");
	count(&missed, &careful, &found);
	tap_int((int64_t)missed, 0, "no two elements in one place are missed");
	tap_ok(careful > 0 && careful < found / 4, "few views are refused for nothing");
	tap_ok(strides_overlap((const int64_t[]){3, 2}, (const int64_t[]){2, 3}, 2),
	       "one of them, as the header says");
	tap_ok(!strides_overlap((const int64_t[]){1, 5}, (const int64_t[]){0, 1}, 2),
	       "no step is made along a dimension of one element");
	tap_ok(strides_overlap(huge, far, 2), "what reaches beyond all places counts as well");
	tap_ok(!strides_overlap(NULL, NULL, 0), "a scalar does not overlap");
	return tap_done();
}
