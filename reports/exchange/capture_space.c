/* Parameters of a captured kernel, and what depends on them: the autotuner's list, grid, boxes and
 * constants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/autotune_space.h"
#include "reports/exchange/capture_draft.h"
#include "reports/exchange/capture_table.h"
#include "tuner/base/array.h"
#include "tuner/base/dtype.h"
#include "tuner/workload/space/config.h"

/* ---- parameters ---- */

static struct tuned *find_tuned(const struct capture_draft *d, const char *name)
{
	for (size_t i = 0; i < d->n_parameters; i++)
		if (strcmp(d->parameters[i].name, name) == 0)
			return &d->parameters[i];
	return NULL;
}

/* The value of a parameter in a configuration of a problem, {NAME: VALUE, ...}: an option that it
 * leaves open is the caller's. */
static enum asc_status get_setting(struct capture_draft *d, const struct capture_problem *p,
				   const struct json_node *config, const char *name,
				   struct value *out, struct asc_err *e)
{
	const struct json_node *n = json_find(config, name);
	struct asc_err why;

	n = n ? n : json_find(json_find(p->node, "options"), name);
	/* maxnreg is None where there is no limit. */
	if (!n || json_type(n) == JSON_NULL) {
		if (autotune_find_default(name, out))
			return ASC_OK;
		return draft_give_up(d, e, "a configuration of its list has no %s", name);
	}
	if (json_get_choice(n, out, &why) == ASC_OK)
		return ASC_OK;
	return why.status == ASC_NOMEM ? (*e = why, e->status)
				       : draft_give_up(d, e,
						       "%s of a configuration is no number and no "
						       "plain text",
						       name);
}

static enum asc_status add_setting(struct capture_draft *d, const char *name, struct value v,
				   struct asc_err *e)
{
	struct tuned *t = find_tuned(d, name);

	if (!t) {
		if (d->n_parameters == CONFIG_MAX_PARAMETERS)
			return draft_give_up(d, e,
					     "its configurations have more than %d parameters",
					     CONFIG_MAX_PARAMETERS);
		if (!array_room(&d->parameters, d->n_parameters, &d->parameters_capacity,
				sizeof *d->parameters))
			return asc_err_nomem(e);
		t = &d->parameters[d->n_parameters++];
		*t = (struct tuned){.name = name};
	}
	for (size_t i = 0; i < t->n; i++)
		if (value_equal(t->values[i], v))
			return ASC_OK;
	if (!array_room(&t->values, t->n, &t->capacity, sizeof *t->values))
		return asc_err_nomem(e);
	t->values[t->n++] = v;
	return ASC_OK;
}

static enum asc_status add_config(struct capture_draft *d, const struct capture_problem *p,
				  const struct json_node *config, struct asc_err *e)
{
	for (const struct json_node *n = json_first(config); n; n = json_next(n)) {
		struct value v;

		if (get_setting(d, p, config, json_key(n), &v, e) ||
		    add_setting(d, json_key(n), v, e))
			return e->status;
	}
	return ASC_OK;
}

/* Values beyond the list, {NAME: [VALUE, ...], ...}. */
static enum asc_status add_widened(struct capture_draft *d, const struct json_node *widened,
				   struct asc_err *e)
{
	for (const struct json_node *n = json_first(widened); n; n = json_next(n))
		for (const struct json_node *i = json_first(n); i; i = json_next(i)) {
			struct value v;

			/* None: no limit of registers. */
			if (!(json_type(i) == JSON_NULL &&
			      autotune_find_default(json_key(n), &v)) &&
			    json_get_choice(i, &v, e))
				return e->status == ASC_NOMEM
					       ? e->status
					       : draft_give_up(d, e, "beyond its list: %s",
							       e->text);
			if (add_setting(d, json_key(n), v, e))
				return e->status;
		}
	return ASC_OK;
}

enum asc_status draft_find_parameters(struct capture_draft *d, struct asc_err *e)
{
	for (const struct json_node *n = json_first(json_find(d->kernel->tuner, "configs")); n;
	     n = json_next(n))
		if (add_config(d, d->p[0], n, e))
			return e->status;
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_problem *p = d->p[k];
		const struct json_node *options = json_find(p->node, "options");

		if (add_config(d, p, json_find(p->node, "configuration"), e))
			return e->status;
		for (const struct autotune_option *o = autotune_options; o->name; o++) {
			struct value v;

			if (json_find(options, o->name) &&
			    (get_setting(d, p, options, o->name, &v, e) ||
			     add_setting(d, o->name, v, e)))
				return e->status;
		}
		if (add_widened(d, json_find(p->node, "widened"), e))
			return e->status;
	}
	for (const struct autotune_range *r = autotune_ranges; r->name && !d->kernel->tuner; r++) {
		/* Stages are of a loop: without one they change nothing. */
		if (strcmp(r->name, "num_stages") == 0 && !d->loops)
			continue;
		for (size_t i = 0; i < AUTOTUNE_RANGE; i++)
			if (add_setting(d, r->name, value_int(r->values[i]), e))
				return e->status;
	}
	/* Launches that leave an option open have Triton's own value. */
	for (size_t k = 0; k < d->n; k++)
		for (size_t i = 0; i < d->n_parameters; i++) {
			struct value v;

			if (get_setting(d, d->p[k], json_find(d->p[k]->node, "configuration"),
					d->parameters[i].name, &v, e) ||
			    add_setting(d, d->parameters[i].name, v, e))
				return e->status;
		}
	/* One value that is Triton's own says nothing. */
	for (size_t i = d->n_parameters; i-- > 0;) {
		struct tuned *t = &d->parameters[i];
		struct value v;

		if (t->n == 1 && autotune_find_default(t->name, &v) &&
		    value_equal(v, t->values[0])) {
			free(t->values);
			d->n_parameters--;
			memmove(t, t + 1, (d->n_parameters - i) * sizeof *t);
		}
	}
	return ASC_OK;
}

static int compare_values(const void *a, const void *b)
{
	return value_order(*(const struct value *)a, *(const struct value *)b);
}

/* Writes the parameters; what the first problem was launched with is the default of sizes that
 * nobody has seen. */
enum asc_status draft_write_parameters(struct capture_draft *d, struct asc_err *e)
{
	const struct json_node *config = json_find(d->p[0]->node, "configuration");

	json_write_begin(&d->w, "parameters", '{');
	for (size_t i = 0; i < d->n_parameters; i++) {
		const struct tuned *t = &d->parameters[i];
		struct value launched;

		if (get_setting(d, d->p[0], config, t->name, &launched, e))
			return e->status;
		qsort(t->values, t->n, sizeof *t->values, compare_values);
		const bool first = value_equal(launched, t->values[0]);

		/* A list alone has its first value as the default. */
		if (!first)
			json_write_begin(&d->w, t->name, '{');
		json_write_begin(&d->w, first ? t->name : "values", '[');
		for (size_t k = 0; k < t->n; k++)
			json_write_value(&d->w, NULL, t->values[k]);
		json_write_end(&d->w, ']');
		if (!first) {
			json_write_value(&d->w, "default", launched);
			json_write_end(&d->w, '}');
		}
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

enum asc_status draft_write_default(struct capture_draft *d, const struct capture_problem *p,
				    struct asc_err *e)
{
	const struct json_node *config = json_find(p->node, "configuration");

	if (d->n_parameters == 0)
		return ASC_OK;
	json_write_begin(&d->w, "default", '{');
	for (size_t i = 0; i < d->n_parameters; i++) {
		struct value v;

		if (get_setting(d, p, config, d->parameters[i].name, &v, e))
			return e->status;
		json_write_value(&d->w, d->parameters[i].name, v);
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* ---- tables ---- */

/* Reads the recorder's table of each problem; `axis` is the element of values that are lists, or
 * -1. */
static enum asc_status gather_rows(struct capture_draft *d, struct capture_table *t,
				   const struct json_node *const *tables, int axis,
				   struct asc_err *e)
{
	struct value cells[CAPTURE_MAX_COLUMNS];

	t->columns[t->n_columns++] = "problem";
	for (const struct json_node *n = json_first(json_find(tables[0], "by")); n;
	     n = json_next(n))
		if (t->n_columns == CAPTURE_MAX_COLUMNS ||
		    json_get_string(n, &t->columns[t->n_columns++], e))
			return draft_give_up(d, e, "a table of it depends on too much");
	for (size_t k = 0; k < d->n; k++) {
		const struct json_node *row = json_first(json_find(tables[k], "rows"));

		if (!row)
			return draft_give_up(d, e, "a value of its launches was not recorded");
		for (; row; row = json_next(row)) {
			const struct json_node *n = json_first(row);

			cells[0] = value_int((int64_t)k);
			for (size_t i = 1; i < t->n_columns && n; i++, n = json_next(n))
				if (json_type(n) == JSON_NULL) {
					if (!autotune_find_default(t->columns[i], &cells[i]))
						return draft_give_up(d, e, "%s may be None",
								     t->columns[i]);
				} else if (json_get_choice(n, &cells[i], e)) {
					return e->status == ASC_NOMEM
						       ? e->status
						       : draft_give_up(d, e, "%s: %s",
								       t->columns[i], e->text);
				}
			if (n && axis >= 0) {
				n = json_first(n);
				for (int i = 0; i < axis && n; i++)
					n = json_next(n);
			}
			if (!n)
				return json_fail(row, e, "has no value");
			if (capture_table_add(t, &d->arena, cells, n, e))
				return e->status;
		}
	}
	return capture_table_shrink(t, e) ? draft_give_up(d, e, "%s", e->text) : ASC_OK;
}

/* Makes a member of "tables". */
static enum asc_status add_table(struct capture_draft *d, const char *name,
				 const struct capture_table *t, bool only_listed, struct asc_err *e)
{
	if (!name ||
	    !array_room(&d->table_names, d->n_tables, &d->tables_capacity, sizeof *d->table_names))
		return asc_err_nomem(e);
	json_write_begin(&d->tables_writer, name, '{');
	capture_table_write(t, &d->tables_writer);
	if (only_listed)
		json_write_bool(&d->tables_writer, "otherwise", false);
	json_write_end(&d->tables_writer, '}');
	d->table_names[d->n_tables++] = name;
	return ASC_OK;
}

/* Writes a formula of an integer: a number, a dimension, a parameter, or a table of that name. */
enum asc_status draft_write_formula(struct capture_draft *d, const char *key, const char *wanted,
				    const struct json_node *const *tables, int axis,
				    struct asc_err *e)
{
	struct capture_table t = {0};
	enum asc_status s = gather_rows(d, &t, tables, axis, e);
	struct value *values = draft_new_values(d);
	struct value v;

	if (!values && s == ASC_OK)
		s = asc_err_nomem(e);
	for (size_t i = 0; i < t.n_rows && s == ASC_OK; i++)
		if (json_get_size(t.rows[i].node, &v.i, e) ||
		    (v.i < 0 &&
		     json_fail(t.rows[i].node, e, "is %lld, expected at least 0", (long long)v.i)))
			s = draft_give_up(d, e, "%s", e->text);
	if (s == ASC_OK && t.n_needs == 0) {
		json_write_node(&d->w, key, t.rows[0].node);
	} else if (s == ASC_OK && t.n_needs == 1 && t.needs[0]) {
		for (size_t i = 0; i < t.n_rows; i++) {
			v.kind = VALUE_INT;
			(void)json_get_size(t.rows[i].node, &v.i, e);
			values[t.rows[i].cells[0].i] = v;
		}
		s = draft_write_number(d, key, wanted, values, e);
	} else if (s == ASC_OK) {
		const char *name = draft_make_name(d, wanted);

		json_write_string(&d->w, key, name);
		s = add_table(d, name, &t, false, e);
	}
	capture_table_fini(&t);
	return s;
}

/* ---- constants ---- */

/* Writes a value that is the same in all launches. */
static enum asc_status write_literal(struct capture_draft *d, const char *key,
				     const struct json_node *n, struct asc_err *e)
{
	const char *text = NULL;
	struct buf quoted = {0};

	if (json_type(n) != JSON_STRING) {
		json_write_node(&d->w, key, n);
		return ASC_OK;
	}
	if (json_get_string(n, &text, e))
		return e->status;
	buf_print(&quoted, "'%s'", text);
	json_write_string(&d->w, key, buf_str(&quoted));
	const enum asc_status s = buf_check(&quoted, e);

	buf_fini(&quoted);
	return s;
}

/* Refuses what no constant of a workload can be. */
static enum asc_status check_constant(struct capture_draft *d, const char *name,
				      const struct json_node *n, struct asc_err *e)
{
	const char *text = NULL;
	enum dtype dtype;
	struct asc_err why;

	if (json_type(n) == JSON_OBJECT) {
		if (json_get_string(json_find(n, "dtype"), &text, &why) == ASC_OK &&
		    dtype_parse(text, &dtype))
			return ASC_OK;
		return draft_give_up(d, e, "its constant %s is no type that a workload has%s%s",
				     name, text ? ": " : "", text ? text : "");
	}
	if (json_type(n) == JSON_STRING && json_get_string(n, &text, &why) == ASC_OK &&
	    !value_text_check(text, strlen(text)))
		return draft_give_up(d, e,
				     "its constant %s is the text \"%s\", which formulas do not "
				     "take",
				     name, text);
	if (json_type(n) == JSON_ARRAY)
		return draft_give_up(d, e, "its constant %s is a list", name);
	return ASC_OK;
}

static enum asc_status write_constant(struct capture_draft *d, const char *name,
				      const struct json_node *const *tables, struct asc_err *e)
{
	struct capture_table t = {0};
	struct value *values = draft_new_values(d);
	enum asc_status s = gather_rows(d, &t, tables, -1, e);
	bool integers = t.n_needs == 1 && t.needs[0];
	const char *dimension = NULL;

	if (!values && s == ASC_OK)
		s = asc_err_nomem(e);
	for (size_t i = 0; i < t.n_rows && s == ASC_OK; i++) {
		const struct json_node *n = t.rows[i].node;

		s = check_constant(d, name, n, e);
		integers = integers && json_type(n) == JSON_INT;
		if (integers)
			(void)json_get_value(n, &values[t.rows[i].cells[0].i], e);
	}
	if (s == ASC_OK && integers)
		dimension = draft_find_dimension(d, values);
	if (s == ASC_OK && t.rows && t.n_needs == 0) {
		s = write_literal(d, name, t.rows[0].node, e);
	} else if (s == ASC_OK && dimension) {
		json_write_string(&d->w, name, dimension);
	} else if (s == ASC_OK) {
		/* A truth value of the key is a number, and its dimension has the constant's name.
		 */
		const char *table = draft_has_dimension(d, name) ? draft_make_name(d, name) : name;

		json_write_begin(&d->w, name, '{');
		json_write_string(&d->w, "table", table ? table : "");
		json_write_end(&d->w, '}');
		s = add_table(d, table, &t, false, e);
	}
	capture_table_fini(&t);
	return s;
}

enum asc_status draft_find_tables(struct capture_draft *d, const char *member, const char *name,
				  const struct json_node *const **out, struct asc_err *e)
{
	const struct json_node **list = arena_alloc(&d->arena, d->n * sizeof(struct json_node *));

	*out = list;
	if (!list)
		return asc_err_nomem(e);
	for (size_t k = 0; k < d->n; k++) {
		list[k] = json_find(d->p[k]->node, member);
		if (name)
			list[k] = json_find(list[k], name);
		if (!list[k])
			*out = NULL;
	}
	return ASC_OK;
}

enum asc_status draft_write_constants(struct capture_draft *d, struct asc_err *e)
{
	json_write_begin(&d->w, "constants", '{');
	for (size_t i = 0; i < d->kernel->n_parameters; i++) {
		const struct capture_parameter *p = &d->kernel->parameters[i];
		const struct json_node *const *tables;
		struct value v;

		if (!p->is_constexpr || find_tuned(d, p->name))
			continue;
		if (draft_find_tables(d, "constants", p->name, &tables, e))
			return e->status;
		/* An option that has Triton's own value is no parameter, but may be an argument. */
		if (!tables && autotune_find_default(p->name, &v))
			json_write_value(&d->w, p->name, v);
		else if (!tables)
			return draft_give_up(d, e, "its constant %s was not recorded", p->name);
		else if (write_constant(d, p->name, tables, e))
			return e->status;
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* ---- the list ---- */

/* Adds a row for a configuration of problem number `k` to both tables. */
static enum asc_status add_listed(struct capture_draft *d, struct capture_table tables[2], size_t k,
				  const struct json_node *config, struct asc_err *e)
{
	struct value cells[CAPTURE_MAX_COLUMNS] = {value_int((int64_t)k)};

	for (size_t i = 0; i < d->n_parameters; i++)
		if (get_setting(d, d->p[k], config, d->parameters[i].name, &cells[i + 1], e))
			return e->status;
	if (capture_table_add(&tables[0], &d->arena, cells, NULL, e))
		return e->status;
	return capture_table_add(&tables[1], &d->arena, cells, NULL, e);
}

/* Adds what pruning has left of the list for a problem, and what was launched: a library's own
 * table may have that. */
static enum asc_status add_list(struct capture_draft *d, struct capture_table tables[2], size_t k,
				struct asc_err *e)
{
	const struct json_node *configs = json_find(d->kernel->tuner, "configs");
	const struct json_node *listed = json_find(d->p[k]->node, "listed");
	const size_t n = json_count(configs);
	bool *kept = arena_alloc(&d->arena, n + 1);
	size_t at = 0;

	if (!kept)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(listed); i; i = json_next(i)) {
		int64_t index;

		if (json_get_int(i, &index, e))
			return e->status;
		if (index < 0 || (uint64_t)index >= n)
			return json_fail(i, e, "is %lld, but the list has %zu configurations",
					 (long long)index, n);
		kept[index] = true;
	}
	for (const struct json_node *i = json_first(configs); i; i = json_next(i), at++)
		if ((json_type(listed) != JSON_ARRAY || kept[at]) && add_listed(d, tables, k, i, e))
			return e->status;
	return add_listed(d, tables, k, json_find(d->p[k]->node, "configuration"), e);
}

/* Writes what keeps the space to the autotuner's list: a table with a row for each of its
 * configurations. Where values beyond the list were asked for, these are tried first. */
enum asc_status draft_write_list(struct capture_draft *d, struct asc_err *e)
{
	struct capture_table tables[2] = {0}; /* with the problem, without */
	enum asc_status s = ASC_OK;
	double combinations = 1;
	bool widened = false;

	for (size_t k = 0; k < 2; k++) {
		struct capture_table *t = &tables[k];

		t->columns[t->n_columns++] = "problem";
		t->needs[0] = k == 0;
		for (size_t i = 0; i < d->n_parameters; i++) {
			t->needs[t->n_columns] = true;
			t->columns[t->n_columns++] = d->parameters[i].name;
		}
		t->n_needs = t->n_columns;
	}
	for (size_t i = 0; i < d->n_parameters; i++)
		combinations *= (double)d->parameters[i].n;
	for (size_t k = 0; k < d->n && s == ASC_OK; k++) {
		const struct json_node *beyond = json_find(d->p[k]->node, "widened");

		widened |= beyond && json_type(beyond) == JSON_OBJECT;
		s = add_list(d, tables, k, e);
	}
	if (s == ASC_OK) {
		capture_table_order(&tables[0]);
		capture_table_order(&tables[1]);
		/* Each problem's list is a part of all: with as many rows they are the same. */
		const bool same = tables[0].n_rows == tables[1].n_rows * d->n;

		if (!same || (double)tables[1].n_rows < combinations) {
			const char *name = draft_make_name(d, "listed");

			s = add_table(d, name, &tables[same], true, e);
			if (widened) {
				json_write_string(&d->w, "first", name);
			} else {
				json_write_begin(&d->w, "constraints", '[');
				json_write_string(&d->w, NULL, name);
				json_write_end(&d->w, ']');
			}
		}
	}
	capture_table_fini(&tables[0]);
	capture_table_fini(&tables[1]);
	return s;
}
