#include "tuner/search/encoding.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/space/space.h"

enum { LOG2_BITS = 30 };

/* Finds the integer part from the exponent, and a bit of the fraction by each squaring. */
double encoding_log2(double x)
{
	int exponent;
	double rest = 2 * frexp(x, &exponent), bit = 1;
	double log = exponent - 1;

	for (int i = 0; i < LOG2_BITS; i++) {
		rest *= rest;
		bit /= 2;
		if (rest >= 2) {
			rest /= 2;
			log += bit;
		}
	}
	return log;
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
