#include "tuner/model/space.h"

#include <stdlib.h>

#include "tuner/base/rng.h"
#include "tuner/model/space_core.h"
#include "tuner/model/space_list.h"

bool space_rule_holds(const struct expr *x, const struct value *slots)
{
	struct value v;

	return expr_eval(x, slots, &v) == EXPR_E_OK && value_truth(v);
}

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
	space_list_free(s->list);
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
	return space_list_count(s->list);
}

double space_cartesian(const struct space *s)
{
	double product = 1;

	for (size_t i = 0; i < s->n; i++)
		product *= (double)s->params[i].n;
	return product;
}

void space_get(const struct space *s, uint64_t index, struct config *out)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];

	space_list_get(s->list, index, picks);
	out->n = s->n;
	for (size_t i = 0; i < s->n; i++)
		out->values[i] = s->params[i].values[picks[i]];
}

bool space_find(const struct space *s, const struct config *c, uint64_t *index)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];

	if (c->n != s->n)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		if (!space_pick(&s->params[i], c->values[i], &picks[i]))
			return false;
	}
	return space_list_find(s->list, picks, index);
}

uint64_t space_sample(const struct space *s, struct rng *r)
{
	return rng_below(r, space_count(s));
}

bool space_next(const struct space *s, uint64_t *index)
{
	++*index; /* SPACE_BEGIN wraps to 0 */
	return *index < space_count(s);
}

/* ---- neighbours and the default ---- */

static bool is_near(size_t from, size_t to, enum space_nearness nearness)
{
	return nearness == SPACE_HAMMING ? from != to : from + 1 == to || to + 1 == from;
}

static size_t add_neighbours(const struct space *s, size_t param, enum space_nearness nearness,
			     uint16_t *picks, uint64_t *out)
{
	const uint16_t own = picks[param];
	size_t n = 0;

	for (size_t i = 0; i < s->params[param].n; i++) {
		picks[param] = (uint16_t)i;
		if (is_near(own, i, nearness) && space_list_find(s->list, picks, &out[n]))
			n++;
	}
	picks[param] = own;
	return n;
}

static int compare_indices(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

enum asc_status space_neighbours(const struct space *s, uint64_t index,
				 enum space_nearness nearness, uint64_t **out, size_t *n,
				 struct asc_err *e)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];
	size_t room = 1;

	for (size_t i = 0; i < s->n; i++)
		room += nearness == SPACE_HAMMING ? s->params[i].n : 2;
	uint64_t *found = malloc(room * sizeof *found);
	if (!found)
		return asc_err_nomem(e);
	space_list_get(s->list, index, picks);
	*n = 0;
	for (size_t i = 0; i < s->n; i++)
		*n += add_neighbours(s, i, nearness, picks, found + *n);
	qsort(found, *n, sizeof *found, compare_indices);
	*out = found;
	return ASC_OK;
}

static size_t count_differences(const uint16_t *a, const uint16_t *b, size_t n)
{
	size_t differ = 0;

	for (size_t i = 0; i < n; i++)
		differ += a[i] != b[i];
	return differ;
}

bool space_default(const struct space *s, uint64_t *index)
{
	uint16_t wanted[CONFIG_MAX_PARAMETERS] = {0}, picks[CONFIG_MAX_PARAMETERS];
	size_t fewest = SIZE_MAX;

	for (size_t i = 0; i < s->n; i++)
		space_pick(&s->params[i], s->params[i].preset, &wanted[i]);
	if (space_list_find(s->list, wanted, index))
		return true;
	for (uint64_t i = SPACE_BEGIN; fewest > 1 && space_next(s, &i);) {
		space_list_get(s->list, i, picks);
		const size_t differ = count_differences(picks, wanted, s->n);
		if (differ < fewest) {
			fewest = differ;
			*index = i;
		}
	}
	return fewest != SIZE_MAX;
}
