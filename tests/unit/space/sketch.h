/* Spaces written down in a few lines, for tests. */
#ifndef ASCTUNE_TESTS_UNIT_SPACE_SKETCH_H
#define ASCTUNE_TESTS_UNIT_SPACE_SKETCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/workload/space/space.h"

enum { SKETCH_VALUES = 16 };

/* What conditions may name beside parameters: N is 64, device.threads is 8, device.ub_bytes is not
 * known. */
static inline bool sketch_resolve(const void *user, const char *call, const char *name,
				  struct expr_binding *out)
{
	(void)user;
	*out = (struct expr_binding){.kind = EXPR_CONSTANT, .constant = value_int(64)};
	if (call)
		return false;
	if (strcmp(name, "device.threads") == 0)
		out->constant = value_int(8);
	else if (strcmp(name, "device.ub_bytes") == 0)
		out->kind = EXPR_UNKNOWN;
	else
		return strcmp(name, "N") == 0;
	return true;
}

static inline const char *const *sketch_names(const void *user)
{
	static const char *const names[] = {"N", "device.threads", "device.ub_bytes", NULL};

	(void)user;
	return names;
}

/* A space written as text: values of each parameter end with a 0, which is not one of them. */
struct sketch {
	struct {
		const char *name;
		int values[SKETCH_VALUES];
		int default_value; /* 0: the first */
	} params[8];
	const char *conditions[8];
};

static inline enum asc_status sketch_open(const struct sketch *k, struct space **out,
					  struct asc_err *e)
{
	struct value values[8][SKETCH_VALUES];
	struct space_param params[8];
	struct space_condition conditions[8];
	char origins[8][32];
	struct space_spec spec = {.params = params,
				  .conditions = conditions,
				  .outer = {sketch_resolve, sketch_names, NULL}};

	for (size_t i = 0; i < 8 && k->params[i].name; i++) {
		const int *v = k->params[i].values, default_value = k->params[i].default_value;
		size_t n = 0;
		for (; v[n]; n++)
			values[i][n] = value_int(v[n]);
		params[i] = (struct space_param){k->params[i].name, n, values[i],
						 value_int(default_value ? default_value : v[0])};
		spec.n_params++;
	}
	for (size_t i = 0; i < 8 && k->conditions[i]; i++) {
		snprintf(origins[i], sizeof origins[i], "constraints[%zu]", i);
		conditions[i] = (struct space_condition){k->conditions[i], origins[i]};
		spec.n_conditions++;
	}
	return space_new(&spec, out, e);
}

static inline struct space *sketch_make(const struct sketch *k)
{
	struct space *s = NULL;
	struct asc_err e;

	if (!tap_ok(sketch_open(k, &s, &e) == ASC_OK, "the space is made"))
		tap_note("%s", e.text);
	return s;
}

/* A space of `n` parameters of `size` values each, 0 .. size-1. */
static inline enum asc_status sketch_wide(size_t n, size_t size, const char *condition,
					  struct space **out, struct asc_err *e)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	struct value *values = calloc(size, sizeof *values);
	struct space_param params[5];
	const struct space_condition conditions[] = {{condition, "constraints[0]"}};

	for (size_t i = 0; values && i < size; i++)
		values[i] = value_int((int64_t)i);
	for (size_t i = 0; i < n; i++)
		params[i] = (struct space_param){names[i], size, values, value_int(0)};
	const struct space_spec spec = {.params = params,
					.n_params = n,
					.conditions = conditions,
					.n_conditions = condition != NULL};
	*out = NULL;
	const enum asc_status st = values ? space_new(&spec, out, e) : ASC_NOMEM;
	free(values);
	return st;
}

#endif
