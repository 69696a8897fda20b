#include "tuner/tune/search/encoding.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tuner/base/stats/rng.h"
#include "tuner/workload/space/space.h"

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

static enum asc_status add_param(struct encoding *c, size_t param, struct asc_err *e)
{
	const struct space_param *p = space_param(c->space, param);
	struct encoded_feature *f = &c->features[c->n];
	const bool positive = is_positive(p);
	float low = INFINITY, high = -INFINITY;

	f->from = param;
	f->values = malloc(p->n * sizeof *f->values);
	if (!f->values)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->n; i++) {
		/* Logarithms where they exist: sizes act by ratios, and sums of logarithms are the
		 * products that matter, such as the elements of a tile. */
		f->values[i] =
			positive ? (float)encoding_log2(value_as_real(p->values[i])) : (float)i;
		low = f->values[i] < low ? f->values[i] : low;
		high = f->values[i] > high ? f->values[i] : high;
	}
	f->span = high > low ? high - low : 1;
	c->middle[c->n] = (low + high) / 2;
	c->n_params = ++c->n;
	return ASC_OK;
}

/* ---- features that a workload states ---- */

enum { LOOKED_AT = 128 /* configurations of a sample */ };
static const float EQUAL = 1e-4F; /* difference of logarithms that is none */

/* Writes the logarithms of all features of a configuration. */
static void get_told(const struct encoding *c, const uint16_t *picks, float *out)
{
	struct config config = {.n = space_params(c->space)};
	double told[STRATEGY_MAX_FEATURES];

	for (size_t i = 0; i < config.n; i++)
		config.values[i] = space_param(c->space, i)->values[picks[i]];
	c->told.get(c->told.user, &config, told);
	for (size_t i = 0; i < c->told.n; i++)
		out[i] = told[i] > 1 ? (float)encoding_log2(told[i]) : 0;
}

struct sample {
	float rows[LOOKED_AT][ENCODING_MAX];
};

/* Sets the sample's last column, behind the features that are kept, to feature `told`. */
static void look_at(const struct encoding *c, size_t told, struct sample *out)
{
	float all[STRATEGY_MAX_FEATURES];
	uint16_t picks[CONFIG_MAX_PARAMETERS];
	struct rng rng;

	rng_init(&rng, 1); /* the same sample whatever the search's seed: equal features */
	for (size_t i = 0; i < LOOKED_AT; i++) {
		const uint64_t index = space_sample(c->space, &rng);

		space_get_picks(c->space, index, picks);
		get_told(c, picks, all);
		encoding_get(c, index, out->rows[i]);
		out->rows[i][c->n] = all[told];
	}
}

static float find_span(const struct sample *s, size_t at)
{
	float low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < LOOKED_AT; i++) {
		low = fminf(low, s->rows[i][at]);
		high = fmaxf(high, s->rows[i][at]);
	}
	return high - low;
}

/* True when a column is another two with these signs, but for a constant. */
static bool is_sum(const struct sample *s, size_t at, size_t a, float sign_a, size_t b,
		   float sign_b)
{
	float first = 0;

	for (size_t i = 0; i < LOOKED_AT; i++) {
		const float *r = s->rows[i];
		const float rest = r[at] - sign_a * r[a] - sign_b * r[b];

		first = i == 0 ? rest : first;
		if (fabsf(rest - first) > EQUAL)
			return false;
	}
	return true;
}

/* True when trees that split on features, sums and differences find the column themselves. */
static bool is_found(const struct sample *s, size_t at)
{
	for (size_t a = 0; a < at; a++)
		for (size_t b = 0; b <= a; b++)
			for (int signs = 0; signs < 4; signs++) {
				const float of_a = signs & 1 ? -1 : 1, of_b = signs & 2 ? -1 : 1;

				if (is_sum(s, at, a, of_a, b, a == b ? 0 : of_b))
					return true;
			}
	return false;
}

/* Adds the features that vary, in a sample of the space, and that trees do not find themselves. */
static enum asc_status add_told(struct encoding *c, struct asc_err *e)
{
	struct sample *s = calloc(1, sizeof *s);

	if (!s)
		return asc_err_nomem(e);
	for (size_t k = 0; k < c->told.n; k++) {
		look_at(c, k, s);
		const float span = find_span(s, c->n);

		if (span > EQUAL && !is_found(s, c->n))
			c->features[c->n++] = (struct encoded_feature){.from = k, .span = span};
	}
	free(s);
	return ASC_OK;
}

enum asc_status encoding_init(struct encoding *c, const struct space *space,
			      const struct strategy_features *told, struct asc_err *e)
{
	*c = (struct encoding){.space = space, .told = *told};
	for (size_t i = 0; i < space_params(space); i++)
		if (space_param(space, i)->n > 1 && add_param(c, i, e))
			return e->status;
	return told->n > 0 ? add_told(c, e) : ASC_OK;
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
	float told[STRATEGY_MAX_FEATURES];

	space_get_picks(c->space, index, picks);
	for (size_t i = 0; i < c->n_params; i++)
		row[i] = c->features[i].values[picks[c->features[i].from]];
	if (c->n > c->n_params)
		get_told(c, picks, told);
	for (size_t i = c->n_params; i < c->n; i++)
		row[i] = told[c->features[i].from];
}

float encoding_distance(const struct encoding *c, const float *a, const float *b)
{
	float sum = 0;

	for (size_t i = 0; i < c->n_params; i++) {
		const float part = (a[i] - b[i]) / c->features[i].span;

		sum += part * part;
	}
	return sum;
}
