#include "tuner/workload/space/space.h"

#include <stdlib.h>

#include "tuner/base/stats/rng.h"
#include "tuner/workload/space/space_core.h"

bool space_pick(const struct space_param *p, struct value v, uint16_t *pick)
{
	for (size_t i = 0; i < p->n; i++) {
		if (value_equal(p->values[i], v)) {
			*pick = (uint16_t)i;
			return true;
		}
	}
	return false;
}

void space_free(struct space *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		free(s->memory[i].name);
		free(s->memory[i].values);
	}
	for (size_t i = 0; i < s->n_rules; i++) {
		expr_free(s->rules[i].expr);
		free(s->rules[i].origin);
	}
	diagram_fini(&s->diagram);
	free(s->params);
	free(s->memory);
	free(s->names);
	free(s->rules);
	free(s);
}

size_t space_params(const struct space *s)
{
	return s->n;
}

const char *const *space_names(const struct space *s)
{
	return s->names;
}

const struct space_param *space_param(const struct space *s, size_t i)
{
	return &s->params[i];
}

uint64_t space_count(const struct space *s)
{
	return diagram_count(&s->diagram);
}

double space_cartesian(const struct space *s)
{
	double product = 1;

	for (size_t i = 0; i < s->n; i++)
		product *= (double)s->params[i].n;
	return product;
}

void space_get_picks(const struct space *s, uint64_t index, uint16_t *picks)
{
	uint16_t levels[CONFIG_MAX_PARAMETERS];

	diagram_get(&s->diagram, index, levels);
	for (size_t i = 0; i < s->n; i++)
		picks[s->order[i]] = levels[i];
}

bool space_find_picks(const struct space *s, const uint16_t *picks, uint64_t *index)
{
	uint16_t levels[CONFIG_MAX_PARAMETERS];

	for (size_t i = 0; i < s->n; i++)
		levels[i] = picks[s->order[i]];
	return diagram_find(&s->diagram, levels, index);
}

void space_get(const struct space *s, uint64_t index, struct config *out)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];

	space_get_picks(s, index, picks);
	out->n = s->n;
	for (size_t i = 0; i < s->n; i++)
		out->values[i] = s->params[i].values[picks[i]];
}

bool space_find(const struct space *s, const struct config *c, uint64_t *index)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];

	/* A configuration of another number of parameters is one of another space. */
	if (c->n != s->n)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (!space_pick(&s->params[i], c->values[i], &picks[i]))
			return false;
	return space_find_picks(s, picks, index);
}

uint64_t space_sample(const struct space *s, struct rng *r)
{
	return rng_below(r, space_count(s));
}

/* ---- the combinations of the parameters that one rule reads ---- */

void odometer_init(struct odometer *o, const struct space *s, const struct expr *x)
{
	*o = (struct odometer){.space = s};
	o->n = expr_slots(x, &o->used);
	for (size_t i = 0; i < o->n; i++)
		o->slots[o->used[i]] = s->params[o->used[i]].values[0];
}

size_t odometer_count(const struct odometer *o, size_t most)
{
	size_t count = 1;

	for (size_t i = 0; i < o->n; i++) {
		const size_t n = o->space->params[o->used[i]].n;

		/* Compared before the product is made, which could overflow. */
		if (count > most / n)
			return most;
		count *= n;
	}
	return count;
}

bool odometer_next(struct odometer *o)
{
	/* The first parameter goes fastest; one that begins again carries to the next. */
	for (size_t i = 0; i < o->n; i++) {
		const struct space_param *p = &o->space->params[o->used[i]];

		o->picks[i] = (o->picks[i] + 1) % p->n;
		o->slots[o->used[i]] = p->values[o->picks[i]];
		if (o->picks[i] != 0)
			return true;
	}
	return false;
}
