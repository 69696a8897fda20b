#include "reports/tables/reader_asked.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/json/json.h"

/* ---- a problem ---- */

/* Adds the size that the library calls `name`: the problem's dimension `own`. */
static void ask_size(struct reader_asked *a, const struct problem *p, const char *name,
		     const char *own)
{
	for (size_t i = 0; i < p->n_dims && a->problem.n_sizes < RULE_MAX_SIZES; i++) {
		const struct value v = p->dims[i].value;

		if (!str_is_same(p->dims[i].name, own) ||
		    (v.kind != VALUE_INT && v.kind != VALUE_BOOL))
			continue;
		a->truths[a->problem.n_sizes] = v.kind == VALUE_BOOL;
		a->sizes[a->problem.n_sizes++] = (struct rule_size){name, v.i, v.i};
	}
}

/* Adds the type that the library calls `name`: that of the problem's variable `own`, else `own`
 * itself. */
static void ask_type(struct reader_asked *a, const struct problem *p, const char *name,
		     const char *own)
{
	const char *type = own;

	for (size_t i = 0; i < p->n_dtypes; i++)
		if (str_is_same(p->dtypes[i].name, own))
			type = dtype_name(p->dtypes[i].dtype);
	if (type && a->problem.n_types < RULE_MAX_TYPES)
		a->types[a->problem.n_types++] = (struct asctune_type){name, type};
}

enum asc_status reader_asked_open(struct reader_asked *a, const struct json_node *member,
				  struct asc_err *e)
{
	*a = (struct reader_asked){0};
	if (library_names_read(member, &a->names, e))
		return e->status;
	a->reader = reader_find_operator(json_key(member), a->names.op);
	return ASC_OK;
}

void reader_asked_set(struct reader_asked *a, const struct problem *p, const char *device)
{
	const struct json_node *sizes = a->names.sizes, *types = a->names.types;

	a->problem = (struct reader_problem){.kernel = a->names.op,
					     .device = device,
					     .sizes = a->sizes,
					     .truths = a->truths,
					     .types = a->types};
	for (const struct json_node *n = sizes ? json_first(sizes) : NULL; n; n = json_next(n))
		ask_size(a, p, json_key(n), library_names_own(sizes, json_key(n)));
	for (size_t i = 0; i < p->n_dims && !sizes; i++)
		ask_size(a, p, p->dims[i].name, p->dims[i].name);
	for (const struct json_node *n = types ? json_first(types) : NULL; n; n = json_next(n))
		ask_type(a, p, json_key(n), library_names_own(types, json_key(n)));
	for (size_t i = 0; i < p->n_dtypes && !types; i++)
		ask_type(a, p, p->dtypes[i].name, p->dtypes[i].name);
}

enum asc_status reader_asked_name(const struct reader_asked *a, struct buf *file, struct buf *key,
				  struct asc_err *e)
{
	const struct reader_ops *ops = a->reader;

	if (ops->guess)
		return ops->guess(&a->problem, file, key, e);
	/* The folder alone depends on Triton's version. */
	if (reader_check_problem(ops, &a->problem, e) || ops->name_file(&a->problem, "0", file, e))
		return e->status;
	return ops->print_key(ops, &a->problem, key, e);
}

/* ---- several problems ---- */

struct place { /* of a problem in a table */
	const struct problem *problem;
	struct buf file, key, layer;
};

/* Appends what a problem is beside the size by which rows are found. */
static void print_layer(const struct reader_asked *a, const struct problem *p, struct buf *out)
{
	const char *size = a->reader->row_size,
		   *own = size ? library_names_own(a->names.sizes, size) : NULL;
	char text[VALUE_TEXT_MAX + 1];

	for (size_t i = 0; i < p->n_dims; i++) {
		(void)value_print(p->dims[i].value, text, sizeof text);
		if (!own || strcmp(p->dims[i].name, own) != 0)
			buf_print(out, "%s=%s,", p->dims[i].name, text);
	}
	for (size_t i = 0; i < p->n_dtypes; i++)
		buf_print(out, "%s=%s,", p->dtypes[i].name, dtype_name(p->dtypes[i].dtype));
}

static bool is_one_row(const struct place *x, const struct place *y)
{
	return strcmp(buf_str(&x->file), buf_str(&y->file)) == 0 &&
	       strcmp(buf_str(&x->key), buf_str(&y->key)) == 0;
}

/* By file and row, then as the workload has them. */
static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(buf_str(&x->file), buf_str(&y->file));

	if (order == 0)
		order = strcmp(buf_str(&x->key), buf_str(&y->key));
	return order ? order : (x->problem > y->problem) - (x->problem < y->problem);
}

/* Checks places in their order. */
static enum asc_status check_places(const struct reader_asked *a, const struct place *list,
				    size_t n, reader_shared_fn *visit, const void *user,
				    struct asc_err *e)
{
	const struct place *first = list;

	for (const struct place *p = list; p < list + n; p++) {
		const char *file = buf_str(&p->file), *key = buf_str(&p->key);

		first = strcmp(buf_str(&first->file), file) == 0 ? first : p;
		if (a->reader->row_size && strcmp(buf_str(&first->layer), buf_str(&p->layer)) != 0)
			return asc_err_set(e, ASC_INPUT,
					   "%s and %s are of two layers, which %s does not tell "
					   "apart; --problem NAME takes one",
					   first->problem->name, p->problem->name, file);
		if (p > list && is_one_row(p - 1, p))
			visit(user, p[-1].problem->name, p->problem->name, key, file);
	}
	return ASC_OK;
}

enum asc_status reader_asked_check(const struct json_node *member,
				   const struct problem *const *list, size_t n, const char *device,
				   reader_shared_fn *visit, const void *user, struct asc_err *e)
{
	struct reader_asked a;
	struct place *places = calloc(n + 1, sizeof *places);
	size_t found = 0;
	enum asc_status status = places ? reader_asked_open(&a, member, e) : asc_err_nomem(e);
	const bool known = status == ASC_OK && a.reader && (!a.reader->asks || a.reader->guess);

	for (size_t i = 0; i < n && known && status == ASC_OK; i++) {
		struct place *p = &places[found++];
		struct asc_err none = {.status = ASC_OK};

		p->problem = list[i];
		reader_asked_set(&a, list[i], device);
		print_layer(&a, list[i], &p->layer);
		/* A problem without a row is named with the results. */
		(void)reader_asked_name(&a, &p->file, &p->key, &none);
		if (none.status == ASC_NOMEM || p->layer.failed)
			status = asc_err_nomem(e);
		if (none.status == ASC_OK)
			continue;
		found--;
		buf_fini(&p->file);
		buf_fini(&p->key);
		buf_fini(&p->layer);
	}
	if (status == ASC_OK && found > 0) {
		qsort(places, found, sizeof *places, compare_places);
		status = check_places(&a, places, found, visit, user, e);
	}
	for (size_t i = 0; i < found; i++) {
		buf_fini(&places[i].file);
		buf_fini(&places[i].key);
		buf_fini(&places[i].layer);
	}
	free(places);
	return status;
}
