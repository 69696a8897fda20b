#include "tuner/search/encoding.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/space/space.h"

static const double SQRT_HALF = 0.70710678118654752, LN_2 = 0.69314718055994531;

/* Adds the exponent to 2 atanh(z) / ln 2 as a power series, where z = (m - 1) / (m + 1) of the
 * mantissa m: below 0.172, so that what is left out is below 2^-35. */
double encoding_log2(double x)
{
	enum { LAST_POWER = 11 };
	int exponent;
	double m = frexp(x, &exponent);
	double sum = 0;

	if (m < SQRT_HALF) {
		m *= 2;
		exponent--;
	}
	const double z = (m - 1) / (m + 1);

	for (int power = LAST_POWER; power > 0; power -= 2)
		sum = sum * z * z + 1.0 / power;
	return exponent + 2 * z * sum / LN_2;
}

static bool is_positive(const struct space_param *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!(value_as_real(p->values[i]) > 0))
			return false;
	return true;
}

static enum asc_status add_feature(struct encoding *c, size_t param, struct asc_err *e)
{
	const struct space_param *p = space_param(c->space, param);
	struct encoded_feature *f = &c->features[c->n];
	const bool positive = is_positive(p);
	float low = INFINITY, high = -INFINITY;

	f->param = param;
	f->values = malloc(p->n * sizeof *f->values);
	if (!f->values)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->n; i++) {
		f->values[i] =
			positive ? (float)encoding_log2(value_as_real(p->values[i])) : (float)i;
		low = f->values[i] < low ? f->values[i] : low;
		high = f->values[i] > high ? f->values[i] : high;
	}
	f->span = high > low ? high - low : 1;
	c->middle[c->n++] = (low + high) / 2;
	return ASC_OK;
}

enum asc_status encoding_init(struct encoding *c, const struct space *space, struct asc_err *e)
{
	*c = (struct encoding){.space = space};
	for (size_t i = 0; i < space_params(space); i++)
		if (space_param(space, i)->n > 1 && add_feature(c, i, e))
			return e->status;
	return ASC_OK;
}

void encoding_fini(struct encoding *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->features[i].values);
	*c = (struct encoding){0};
}

void encoding_get(const struct encoding *c, uint64_t index, float *row)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];

	space_get_picks(c->space, index, picks);
	for (size_t i = 0; i < c->n; i++)
		row[i] = c->features[i].values[picks[c->features[i].param]];
}

float encoding_distance(const struct encoding *c, const float *a, const float *b)
{
	float sum = 0;

	for (size_t i = 0; i < c->n; i++) {
		const float part = (a[i] - b[i]) / c->features[i].span;

		sum += part * part;
	}
	return sum;
}
