#include "tuner/workload/workload_read.h"

#include <string.h>

const char *const workload_devices[] = {"cpu", "cuda", "npu", NULL};

void *workload_read_items(const struct json_node *n, const struct item_rule *rule, size_t *count,
			  struct asc_err *e)
{
	if (json_expect(n, rule->type, e) != ASC_OK ||
	    json_ends(n, workload_check_count(n, rule->what, rule->most, e)))
		return NULL;
	/* One more than needed: no items is an array, not NULL. */
	char *items = json_alloc(n, (json_count(n) + 1) * rule->size);
	if (!items) {
		asc_err_nomem(e);
		return NULL;
	}
	size_t i = 0;
	for (const struct json_node *c = json_first(n); c && i < rule->most; c = json_next(c))
		if (json_ends(c, rule->each(c, items + rule->size * i++, e)))
			return NULL;
	*count = i;
	return items;
}

/* Makes an expression's text of a number in the file. */
static enum asc_status number_text(const struct json_node *n, const char **out, struct asc_err *e)
{
	struct value v;
	enum asc_status s = json_get_value(n, &v, e);
	if (s != ASC_OK)
		return s;
	/* Printed twice: the first time for its length. */
	int length = value_print(v, NULL, 0);
	char *text = json_alloc(n, (size_t)length + 1);
	if (!text)
		return asc_err_nomem(e);
	value_print(v, text, (size_t)length + 1);
	*out = text;
	return ASC_OK;
}

enum asc_status workload_read_formula(const struct json_node *n, void *member, struct asc_err *e)
{
	struct formula *f = member;
	f->node = n;
	switch (json_type(n)) {
	case JSON_STRING: return json_get_string(n, &f->text, e);
	case JSON_INT:
	case JSON_REAL: return number_text(n, &f->text, e);
	default:
		return json_fail(n, e, "expected an expression (a string) or a number, found %s",
				 json_type_name(json_type(n)));
	}
}

enum asc_status workload_read_formulas(const struct json_node *n, const char *what, size_t max,
				       struct formula *out, size_t *count, struct asc_err *e)
{
	const struct item_rule rule = {JSON_ARRAY, sizeof *out, workload_read_formula, what, max};
	const struct formula *all = workload_read_items(n, &rule, count, e);
	if (!all)
		return e->status;
	memcpy(out, all, *count * sizeof *out);
	return ASC_OK;
}

enum asc_status workload_read_choice(const struct json_node *n, const char *what,
				     const char *const *candidates, int *out, struct asc_err *e)
{
	const char *name;
	enum asc_status s = json_get_string(n, &name, e);
	if (s != ASC_OK)
		return s;
	for (int i = 0; candidates[i]; i++)
		if (strcmp(candidates[i], name) == 0) {
			*out = i;
			return ASC_OK;
		}
	return json_fail_unknown(n, e, what, name, candidates);
}

static enum asc_status list_add(struct name_list *l, const struct json_node *n, const char *what,
				const char *const *candidates, struct asc_err *e)
{
	const char *name;
	int choice = 0;
	enum asc_status s = json_get_string(n, &name, e);
	if (s == ASC_OK && candidates)
		s = workload_read_choice(n, what, candidates, &choice, e);
	if (s != ASC_OK)
		return s;
	if (!*name)
		return json_fail(n, e, "is empty, expected a %s", what);
	/* A repetition of free words, like flags, may be meant. */
	for (size_t i = 0; candidates && i < l->n; i++)
		if (strcmp(l->names[i], name) == 0)
			return json_fail(n, e, "%s \"%s\" is listed twice", what, name);
	l->names[l->n++] = name;
	return ASC_OK;
}

enum asc_status workload_read_names(const struct json_node *n, const char *what,
				    const char *const *candidates, struct name_list *out,
				    struct asc_err *e)
{
	enum asc_status s = json_expect(n, JSON_ARRAY, e);
	if (s != ASC_OK)
		return s;
	*out = (struct name_list){.node = n};
	out->names = json_alloc(n, (json_count(n) + 1) * sizeof *out->names);
	if (!out->names)
		return asc_err_nomem(e);
	for (const struct json_node *c = json_first(n); c; c = json_next(c))
		if (json_ends(c, list_add(out, c, what, candidates, e)))
			return e->status;
	return ASC_OK;
}

enum asc_status workload_read_each_device(const struct json_node *n, const char *what,
					  workload_device_fn *add, void *out, struct asc_err *e)
{
	if (json_type(n) != JSON_OBJECT || json_count(n) == 0)
		return json_fail(n, e, "expected %s or an object of a name per device class", what);
	for (const struct json_node *m = json_first(n); m; m = json_next(m)) {
		int d = 0;
		while (workload_devices[d] && strcmp(workload_devices[d], json_key(m)) != 0)
			d++;
		/* There is room for each class once; keys of an object are different. */
		if (json_ends(m, workload_devices[d]
					 ? add(out, workload_devices[d], m, e)
					 : json_fail_unknown(m, e, "device class", json_key(m),
							     workload_devices)))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status device_add(void *out, const char *device, const struct json_node *n,
				  struct asc_err *e)
{
	struct per_device *p = out;
	enum asc_status s = json_get_string(n, &p->list[p->n].name, e);
	if (s == ASC_OK)
		p->list[p->n++].device = device;
	return s;
}

enum asc_status workload_read_per_device(const struct json_node *n, const char *what,
					 struct per_device *out, struct asc_err *e)
{
	if (json_type(n) == JSON_STRING)
		return device_add(out, NULL, n, e);
	return workload_read_each_device(n, what, device_add, out, e);
}

enum asc_status workload_read_devices(const struct json_node *n, void *member, struct asc_err *e)
{
	enum asc_status s = workload_read_names(n, "device class", workload_devices, member, e);
	if (s == ASC_OK && json_count(n) == 0)
		return json_fail(n, e, "is empty, expected device classes (leave it out for all)");
	return s;
}

enum asc_status workload_read_dtype(const struct json_node *n, void *member, struct asc_err *e)
{
	int choice = 0;
	const char *name = NULL, *meant = NULL;
	if (json_type(n) == JSON_STRING && json_get_string(n, &name, e) == ASC_OK)
		meant = dtype_means(name);
	/* float32, half, int: names of other tools, which the nearest name would not find. */
	if (meant)
		return json_fail(n, e, "unknown dtype \"%s\" (did you mean \"%s\"?)", name, meant);
	enum asc_status s = workload_read_choice(n, "dtype", dtype_names(), &choice, e);
	if (s == ASC_OK)
		*(enum dtype *)member = (enum dtype)choice;
	return s;
}
