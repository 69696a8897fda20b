#include "reports/results/run_table.h"

#include <stdlib.h>
#include <string.h>

#include "reports/results/today.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/value.h"

/* ---- reading ---- */

struct reader {
	struct run_table *t;
	size_t most, trials_room;
};

/* Adds a zeroed item at the end of a short list; NULL when out of memory. */
static void *append(void *list, size_t size, size_t *n)
{
	char *old;

	memcpy(&old, list, sizeof old);
	char *more = realloc(old, (*n + 1) * size);
	if (!more)
		return NULL;
	memcpy(list, &more, sizeof more);
	memset(more + *n * size, 0, size);
	return more + (*n)++ * size;
}

static struct run_implementation *put_implementation(struct run_table *t, const char *name,
						     size_t *number)
{
	for (*number = 0; *number < t->n_implementations; (*number)++)
		if (strcmp(t->implementations[*number].name, name) == 0)
			return &t->implementations[*number];
	struct run_implementation *i =
		append(&t->implementations, sizeof *i, &t->n_implementations);
	if (i)
		i->name = str_dup(name);
	return i && i->name ? i : NULL;
}

/* Looks first where the value was in the trial before, which is nearly always right. */
static struct run_parameter *put_parameter(struct run_implementation *i, const char *name,
					   size_t likely, size_t *number)
{
	if (likely < i->n_parameters && strcmp(i->parameters[likely].name, name) == 0) {
		*number = likely;
		return &i->parameters[likely];
	}
	for (*number = 0; *number < i->n_parameters; (*number)++)
		if (strcmp(i->parameters[*number].name, name) == 0)
			return &i->parameters[*number];
	struct run_parameter *p = append(&i->parameters, sizeof *p, &i->n_parameters);
	if (p)
		p->name = str_dup(name);
	return p && p->name ? p : NULL;
}

static bool put_value(struct run_parameter *p, const char *text, uint16_t *pick)
{
	*pick = RUN_NO_VALUE;
	for (size_t k = 0; k < p->n_values; k++) {
		if (strcmp(p->values[k], text) != 0)
			continue;
		*pick = (uint16_t)k;
		return true;
	}
	if (p->n_values >= RUN_NO_VALUE)
		return true;
	char **value = append(&p->values, sizeof *value, &p->n_values);
	if (value)
		*value = str_dup(text);
	*pick = (uint16_t)(p->n_values - 1);
	return value && *value;
}

static const char *value_text(const struct json_node *n, char *text, size_t size)
{
	struct value v;
	struct asc_err ignored;
	const char *string;

	if (json_type(n) == JSON_STRING && json_get_string(n, &string, &ignored) == ASC_OK)
		return string;
	if (json_get_value(n, &v, &ignored) != ASC_OK)
		return json_type_name(json_type(n));
	value_print(v, text, size);
	return text;
}

/* Extends a trial to `n` parameters, without values for those that it did not have. */
static bool pad_picks(struct run_trial *t, size_t n)
{
	while (t->n_picks < n) {
		uint16_t *pick = append(&t->picks, sizeof *pick, &t->n_picks);

		if (!pick)
			return false;
		*pick = RUN_NO_VALUE;
	}
	return true;
}

static bool add_pick(struct run_trial *t, struct run_implementation *i, size_t likely,
		     const struct json_node *member)
{
	char text[64];
	size_t number = 0;
	struct run_parameter *p = put_parameter(i, json_key(member), likely, &number);

	if (!p)
		return false;
	if (!pad_picks(t, i->n_parameters))
		return false;
	return put_value(p, value_text(member, text, sizeof text), &t->picks[number]);
}

static enum asc_status add_picks(struct run_trial *t, struct run_implementation *i,
				 const char *config, struct asc_err *e)
{
	struct json_doc *doc;
	enum asc_status status = json_open_text("config", config, strlen(config), &doc, e);
	size_t place = 0;

	if (status != ASC_OK)
		return asc_err_wrap(e, "trial %lld", (long long)t->id);
	const struct json_node *n = json_first(json_root(doc));
	for (; n && json_key(n) && status == ASC_OK; n = json_next(n), place++)
		if (!add_pick(t, i, place, n))
			status = asc_err_nomem(e);
	json_close(doc);
	return status;
}

static enum asc_status add_trial(void *user, const struct db_run_trial *row, struct asc_err *e)
{
	struct reader *r = user;
	struct run_table *t = r->t;
	size_t number;

	if (t->n >= r->most)
		return ASC_OK;
	struct run_implementation *i = put_implementation(t, row->implementation, &number);
	if (!i || !array_room(&t->trials, t->n, &r->trials_room, sizeof *t->trials))
		return asc_err_nomem(e);
	struct run_trial *x = &t->trials[t->n++];

	*x = (struct run_trial){.id = row->id,
				.implementation = number,
				.config_key = str_dup(row->config_key),
				.status = row->status,
				.is_default = row->is_default,
				.cached = row->cached,
				.recorded_ms = row->recorded_ms,
				.median_ns = row->median_ns,
				.low_ns = row->low_ns,
				.high_ns = row->high_ns};
	memcpy(x->spent_ns, row->spent_ns, sizeof x->spent_ns);
	i->trials++; /* failures are counted, too: a map shows where nothing passes */
	i->ok += run_trial_is_timed(x);
	return x->config_key ? add_picks(x, i, row->config_json, e) : asc_err_nomem(e);
}

/* ---- the order of values ---- */

struct ordered {
	char *text;
	struct value number;
	bool is_number;
	uint16_t was;
};

static int compare_values(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->is_number != y->is_number)
		return x->is_number ? -1 : 1;
	const int order = x->is_number ? value_order(x->number, y->number) : 0;
	return order == 1 || order == -1 ? order : strcmp(x->text, y->text);
}

/* Sorts the values; moved[k] becomes the new position of value k. */
static bool sort_values(struct run_parameter *p, uint16_t *moved)
{
	struct ordered *list = calloc(p->n_values + 1, sizeof *list);

	if (!list)
		return false;
	for (size_t k = 0; k < p->n_values; k++) {
		struct ordered *o = &list[k];

		*o = (struct ordered){.text = p->values[k], .was = (uint16_t)k};
		o->is_number = value_parse(o->text, strlen(o->text), &o->number);
	}
	qsort(list, p->n_values, sizeof *list, compare_values);
	for (size_t k = 0; k < p->n_values; k++) {
		p->values[k] = list[k].text;
		moved[list[k].was] = (uint16_t)k;
	}
	free(list);
	return true;
}

static void move_picks(struct run_table *t, size_t implementation, size_t parameter,
		       const uint16_t *moved)
{
	for (size_t k = 0; k < t->n; k++) {
		struct run_trial *x = &t->trials[k];
		if (x->implementation != implementation || !x->picks)
			continue;
		uint16_t *pick = &x->picks[parameter];

		if (*pick != RUN_NO_VALUE)
			*pick = moved[*pick];
	}
}

/* Brings the values of every parameter into their order. */
static enum asc_status order_values(struct run_table *t, struct asc_err *e)
{
	/* One map for all parameters, of as many values as there can be. */
	uint16_t *moved = malloc((RUN_NO_VALUE + 1) * sizeof *moved);
	bool fine = moved != NULL;

	for (size_t i = 0; i < t->n_implementations; i++)
		for (size_t p = 0; p < t->implementations[i].n_parameters && fine; p++) {
			fine = sort_values(&t->implementations[i].parameters[p], moved);
			if (fine)
				move_picks(t, i, p, moved);
		}
	free(moved);
	return fine ? ASC_OK : asc_err_nomem(e);
}

enum asc_status run_table_read(struct db *d, const struct db_run_range *range, size_t n,
			       struct run_table *out, struct asc_err *e)
{
	struct reader r = {.t = out, .most = n};

	*out = (struct run_table){0};
	enum asc_status status = today_each_run_trial(d, range, add_trial, &r, e);
	/* Early trials do not have the parameters that a later one brought in. */
	for (size_t k = 0; status == ASC_OK && k < out->n; k++) {
		struct run_trial *t = &out->trials[k];

		if (!pad_picks(t, out->implementations[t->implementation].n_parameters))
			status = asc_err_nomem(e);
	}
	if (status == ASC_OK)
		status = order_values(out, e);
	if (status != ASC_OK)
		run_table_fini(out);
	return status;
}

/* ---- asking ---- */

void run_table_fini(struct run_table *t)
{
	for (size_t k = 0; k < t->n; k++) {
		free(t->trials[k].config_key);
		free(t->trials[k].picks);
	}
	for (size_t k = 0; k < t->n_implementations; k++) {
		struct run_implementation *i = &t->implementations[k];

		for (size_t p = 0; p < i->n_parameters; p++) {
			for (size_t v = 0; v < i->parameters[p].n_values; v++)
				free(i->parameters[p].values[v]);
			free(i->parameters[p].values);
			free(i->parameters[p].name);
		}
		free(i->parameters);
		free(i->name);
	}
	free(t->trials);
	free(t->implementations);
	*t = (struct run_table){0};
}

bool run_trial_is_timed(const struct run_trial *t)
{
	return t->status == RESULT_OK && t->median_ns > 0;
}

bool run_trial_is_verified(const struct run_trial *t)
{
	return (t->status == RESULT_OK || t->status == RESULT_UNDECIDED) && t->median_ns > 0;
}

const struct run_trial *run_table_fastest(const struct run_table *t)
{
	const struct run_trial *best = NULL;

	for (size_t k = 0; k < t->n; k++) {
		const struct run_trial *x = &t->trials[k];

		if (run_trial_is_timed(x) && (!best || x->median_ns < best->median_ns))
			best = x;
	}
	return best;
}

const struct run_trial *run_table_find(const struct run_table *t, const char *implementation,
				       const char *config_key)
{
	for (size_t k = t->n; k-- > 0;) { /* the newest trial of a configuration counts */
		const struct run_trial *x = &t->trials[k];

		if (strcmp(x->config_key, config_key) == 0 &&
		    strcmp(t->implementations[x->implementation].name, implementation) == 0)
			return x;
	}
	return NULL;
}
