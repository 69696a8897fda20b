#include "tuner/worker/poison.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats/rng.h"
#include "tuner/process/parts.h"
#include "tuner/worker/reference.h"
#include "tuner/workload/binding/binding.h"

/* True for a type with a NaN of POISON_BYTEs that no kernel is likely to write. One of 8 bits has
 * none: all of its bits are what a negative number becomes that is too great. */
static bool has_poison_nan(enum dtype type)
{
	return dtype_is_float(type) && dtype_bytes(type) > 1;
}

/* True for bits that pass for the reference's, which are `right`. */
static bool is_right(const struct bound_tensor *t, double reference, const unsigned char *right,
		     const unsigned char *element)
{
	double value;

	dtype_to_double(t->dtype, element, &value, 1);
	return memcmp(element, right, dtype_bytes(t->dtype)) == 0 ||
	       (isnan(value) && isnan(reference)) ||
	       fabs(value - reference) <= t->atol + t->rtol * fabs(reference);
}

/* Returns poison for an element that is to be left alone, or to be NaN: a random number far from
 * what kernels compute, and no NaN, which a kernel may well write into a masked row. Doubles hold
 * it. */
static double draw_far(enum dtype type, struct rng *rng)
{
	const size_t bits = 8 * dtype_bytes(type);
	const int high = bits > 52 ? 51 : (int)bits - 2; /* the bit below that of the sign */

	if (type == DTYPE_BOOL)
		return (double)rng_below(rng, 2);
	if (!dtype_is_float(type))
		return ldexp(1, high) + (double)rng_below(rng, UINT64_C(1) << high);
	/* Below twice the power of two, which the type has. */
	const int power = ilogb(dtype_largest(type)) - 1;

	return ldexp(1 + rng_uniform(rng), power < 60 ? power : 60) * (rng_below(rng, 2) ? 1 : -1);
}

/* Writes poison over an element that holds the reference's value, so that the element is wrong. A
 * floating type gets NaN, or a number far from what kernels compute where the reference is NaN: 0,
 * say, would be what a wrong kernel has written. An integer, and a number in 8 bits, gets random
 * bits: no kernel can work the right values out of them. Where these happen to be within the
 * tolerance it gets the right bits inverted, and where these are, too, all of those but the
 * highest. */
static void spoil_element(const struct bound_tensor *t, double reference, struct rng *rng,
			  unsigned char *element)
{
	const size_t bytes = dtype_bytes(t->dtype);
	unsigned char right[sizeof(uint64_t)];

	const bool has_nan = has_poison_nan(t->dtype);

	if (reference_is_left(reference) || (has_nan && isnan(reference))) {
		const double far = draw_far(t->dtype, rng);

		dtype_from_double(t->dtype, &far, element, 1);
		return;
	}
	if (has_nan) {
		memset(element, POISON_BYTE, bytes);
		return;
	}
	if (t->dtype == DTYPE_BOOL) {
		*element = !*element;
		return;
	}
	double value;

	memcpy(right, element, bytes);
	do {
		const uint64_t random = rng_next(rng);

		memcpy(element, &random, bytes);
		dtype_to_double(t->dtype, element, &value, 1);
	} while (!isfinite(value)); /* in 8 bits: what an overflow writes was written */
	if (!is_right(t, reference, right, element))
		return;
	for (size_t i = 0; i < bytes; i++)
		element[i] = right[i] ^ 0xFF;
	if (is_right(t, reference, right, element))
		element[bytes - 1] ^= 0x80;
}

struct search {
	const double *reference;
	atomic_bool found;
};

static void find_nan(void *user, size_t begin, size_t end)
{
	struct search *w = user;
	bool found = false;

	for (size_t i = begin; i < end; i++)
		found |= isnan(w->reference[i]);
	if (found)
		atomic_store(&w->found, true);
}

/* True where NaN everywhere is poison enough: the reference has none. */
static bool takes_nan(const struct bound_tensor *t, const double *reference)
{
	struct search all = {.reference = reference};

	if (!has_poison_nan(t->dtype))
		return false;
	parts_pass((size_t)t->count, find_nan, &all);
	return !all.found;
}

enum asc_status poison_make(const struct bound_tensor *t, const double *reference, struct rng *rng,
			    void **out, int64_t *n_left, struct asc_err *e)
{
	*out = NULL;
	*n_left = 0;
	if (takes_nan(t, reference))
		return ASC_OK;
	unsigned char *poison = malloc((size_t)t->bytes + 1);

	if (!poison)
		return asc_err_nomem(e);
	*out = poison;
	dtype_from_double(t->dtype, reference, poison, (size_t)t->count);
	for (int64_t k = 0; k < t->count; k++) {
		*n_left += reference_is_left(reference[k]);
		spoil_element(t, reference[k], rng, poison + (size_t)k * dtype_bytes(t->dtype));
	}
	return ASC_OK;
}
