#include "reports/exchange/formats/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/formats/t4.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/gunzip.h"
#include "tuner/base/value.h"
#include "tuner/workload/space/space.h"

enum {
	MAX_BYTES = 256 << 20, /* unpacked: a small archive must not fill the memory */
	MAX_VALUES = 65535     /* of a parameter: space_new_list() numbers them by 16 bits */
};

/* A file being read: its results in the file's order. */
struct reading {
	const char *path;
	struct entry {
		double time_ns, spent_ns;
		enum result_status status;
		bool is_default;
	} * entries;
	struct value *values; /* n_params of each entry */
	size_t n, n_params, entry_room, value_room;
	double configurations, combinations;
	char *names[CONFIG_MAX_PARAMETERS];
};

static enum asc_status begin(struct reading *r, const struct t4_record *record, struct asc_err *e)
{
	for (; r->n_params < record->config.n; r->n_params++) {
		r->names[r->n_params] = str_dup(record->names[r->n_params]);
		if (!r->names[r->n_params])
			return asc_err_nomem(e);
	}
	/* A search for something else would be replayed on the wrong scores. */
	if (record->objective && strcmp(record->objective, "time") != 0)
		return asc_err_set(e, ASC_INPUT,
				   "%s: expected results with the objective time, found %s",
				   r->path, record->objective);
	return r->n_params > 0
		       ? ASC_OK
		       : asc_err_set(e, ASC_INPUT, "%s: the results have no parameters", r->path);
}

static enum asc_status add_entry(void *user, const struct t4_record *record, struct asc_err *e)
{
	struct reading *r = user;
	const bool passed = record->result.status == RESULT_OK;

	if (r->n == 0 && begin(r, record, e))
		return e->status;
	if (!array_room(&r->entries, r->n, &r->entry_room, sizeof *r->entries))
		return asc_err_nomem(e);
	for (size_t i = 0; i < r->n_params; i++) {
		const size_t at = r->n * r->n_params + i;

		if (!array_room(&r->values, at, &r->value_room, sizeof *r->values))
			return asc_err_nomem(e);
		r->values[at] = record->config.values[i];
	}
	r->entries[r->n++] =
		(struct entry){passed ? record->result.time.median : NAN, record->spent_ns,
			       record->result.status, record->is_default};
	return ASC_OK;
}

static enum asc_status read_file(struct reading *r, struct asc_err *e)
{
	struct buf text = {0};
	struct t4 *t4 = NULL;
	enum asc_status status = gunzip_read(r->path, MAX_BYTES, &text, e);

	if (status == ASC_OK)
		status = t4_open(r->path, buf_str(&text), text.len, &t4, e);
	if (status == ASC_OK)
		status = t4_each(t4, add_entry, r, e);
	if (status == ASC_OK) {
		r->configurations = t4_get_subject(t4)->configurations;
		r->combinations = t4_get_subject(t4)->combinations;
	}
	t4_close(t4);
	buf_fini(&text);
	return status;
}

/* ---- the space ---- */

static int compare_values(const void *a, const void *b)
{
	return value_order(*(const struct value *)a, *(const struct value *)b);
}

static const char *type_of(struct value v)
{
	static const char *const types[] = {[VALUE_INT] = "a number",
					    [VALUE_REAL] = "a number",
					    [VALUE_BOOL] = "a truth value",
					    [VALUE_TEXT] = "a text"};

	return types[v.kind];
}

static enum asc_status check_types(const struct reading *r, size_t param, struct asc_err *e)
{
	const char *first = type_of(r->values[param]);

	for (size_t i = 1; i < r->n; i++) {
		const char *type = type_of(r->values[i * r->n_params + param]);

		if (strcmp(type, first) != 0)
			return asc_err_set(e, ASC_INPUT,
					   "%s: %s is %s in the first result and %s in result %zu",
					   r->path, r->names[param], first, type, i + 1);
	}
	return ASC_OK;
}

/* Lists the different values of a parameter, ascending, so that neighbours in the list are near.
 * `list` has room for one of each result. */
static enum asc_status list_values(const struct reading *r, size_t param, struct value *list,
				   struct space_param *out, struct asc_err *e)
{
	size_t n = 1;

	for (size_t i = 0; i < r->n; i++)
		list[i] = r->values[i * r->n_params + param];
	qsort(list, r->n, sizeof *list, compare_values);
	for (size_t i = 1; i < r->n; i++)
		if (!value_equal(list[i], list[n - 1]))
			list[n++] = list[i];
	*out = (struct space_param){r->names[param], n, list, list[0]};
	if (n > MAX_VALUES)
		return asc_err_set(e, ASC_LIMIT, "%s: %s has %zu values, expected at most %d",
				   r->path, r->names[param], n, MAX_VALUES);
	return check_types(r, param, e);
}

static enum asc_status make_space(const struct reading *r, struct space **out, struct asc_err *e)
{
	struct space_param *params = calloc(r->n_params, sizeof *params);
	struct value *lists = malloc(r->n * r->n_params * sizeof *lists);
	uint16_t *rows = malloc(r->n * r->n_params * sizeof *rows);
	enum asc_status status = params && lists && rows ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; !status && i < r->n_params; i++)
		status = list_values(r, i, lists + i * r->n, &params[i], e);
	for (size_t i = 0; !status && i < r->n * r->n_params; i++) {
		const struct space_param *p = &params[i % r->n_params];
		const struct value *at =
			bsearch(&r->values[i], p->values, p->n, sizeof *at, compare_values);

		rows[i] = (uint16_t)(at - p->values);
	}
	if (!status)
		status = space_new_list(params, r->n_params, rows, r->n, out, e);
	free(params);
	free(lists);
	free(rows);
	return status;
}

/* ---- the results by the space's index ---- */

static enum asc_status refuse_repeated(const struct reading *r, const struct config *c,
				       struct asc_err *e)
{
	struct buf text = {0};

	config_print(c, (const char *const *)r->names, &text);
	asc_err_set(e, ASC_INPUT, "%s: expected one result of each configuration, %s has several",
		    r->path, buf_str(&text));
	buf_fini(&text);
	return e->status;
}

static enum asc_status place_one(const struct reading *r, size_t at, struct recorded *out,
				 struct asc_err *e)
{
	const struct entry *from = &r->entries[at];
	struct config c = {.n = r->n_params};
	uint64_t index = 0;

	memcpy(c.values, &r->values[at * r->n_params], r->n_params * sizeof *c.values);
	if (!space_find(out->space, &c, &index))
		return asc_err_set(e, ASC_INTERNAL, "%s: result %zu is not in its space", r->path,
				   at + 1);
	if (out->status[index] != RESULT_STATUS_COUNT)
		return refuse_repeated(r, &c, e);
	out->time_ns[index] = from->time_ns;
	out->spent_ns[index] = from->spent_ns;
	out->status[index] = from->status;
	if (from->status == RESULT_OK)
		out->sorted_ns[out->n_valid++] = from->time_ns;
	if (from->is_default && !out->has_default) { /* of several, the file's first */
		out->default_index = index;
		out->has_default = true;
	}
	return ASC_OK;
}

static int compare_times(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static enum asc_status check(const struct reading *r, const struct recorded *out, struct asc_err *e)
{
	double all_ns = 0;

	for (size_t i = 0; i < out->n; i++)
		all_ns += out->spent_ns[i];
	if (out->n_valid == 0)
		return asc_err_set(e, ASC_INPUT, "%s: no configuration passed", r->path);
	if (all_ns <= 0)
		return asc_err_set(e, ASC_INPUT, "%s: no result states what its evaluation took",
				   r->path);
	return ASC_OK;
}

/* Makes room for the results of n configurations. */
static enum asc_status make_room(struct recorded *out, size_t n, struct asc_err *e)
{
	const size_t room = n > 0 ? n : 1; /* malloc(0) may be NULL, which is no failure here */

	out->n = n;
	out->time_ns = malloc(room * sizeof *out->time_ns);
	out->spent_ns = malloc(room * sizeof *out->spent_ns);
	out->status = malloc(room * sizeof *out->status);
	out->sorted_ns = malloc(room * sizeof *out->sorted_ns);
	bool made = out->time_ns && out->spent_ns && out->status && out->sorted_ns;

	return made ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status place_all(const struct reading *r, struct recorded *out, struct asc_err *e)
{
	enum asc_status status = make_room(out, (size_t)space_count(out->space), e);

	if (status)
		return status;
	/* No result yet: a second one of the same configuration is seen by that. */
	for (size_t i = 0; i < out->n; i++)
		out->status[i] = RESULT_STATUS_COUNT;
	for (size_t i = 0; !status && i < r->n; i++)
		status = place_one(r, i, out, e);
	if (status)
		return status;
	qsort(out->sorted_ns, out->n_valid, sizeof *out->sorted_ns, compare_times);
	return check(r, out, e);
}

enum asc_status recorded_open(const char *path, struct recorded **out, struct asc_err *e)
{
	struct reading r = {.path = path};
	struct recorded *new = calloc(1, sizeof *new);
	enum asc_status status = new ? read_file(&r, e) : asc_err_nomem(e);

	if (!status)
		status = make_space(&r, &new->space, e);
	if (!status)
		status = place_all(&r, new, e);
	if (!status) {
		new->configurations = r.configurations;
		new->combinations = r.combinations;
		new->name = t4_name_of_file(path);
		status = new->name ? ASC_OK : asc_err_nomem(e);
	}
	for (size_t i = 0; i < r.n_params; i++)
		free(r.names[i]);
	free(r.entries);
	free(r.values);
	if (status)
		recorded_close(new);
	else
		*out = new;
	return status;
}

enum asc_status recorded_join(const struct recorded *const *list, size_t n, struct recorded **out,
			      struct asc_err *e)
{
	struct recorded *new = calloc(1, sizeof *new);
	struct buf name = {0};
	size_t all = 0, at = 0, known = 0;

	*out = NULL;
	if (!new)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		buf_print(&name, "%s%s", i ? " + " : "", list[i]->name);
		all += list[i]->n;
		new->configurations += list[i]->configurations;
		known += list[i]->configurations > 0;
	}
	/* A sum without one of its parts would be too small: then it is unknown. */
	if (known < n)
		new->configurations = 0;
	enum asc_status status = make_room(new, all, e);

	for (size_t i = 0; !status && i < n; at += list[i++]->n) {
		const struct recorded *from = list[i];

		memcpy(new->time_ns + at, from->time_ns, from->n * sizeof *new->time_ns);
		memcpy(new->spent_ns + at, from->spent_ns, from->n * sizeof *new->spent_ns);
		memcpy(new->status + at, from->status, from->n * sizeof *new->status);
		memcpy(new->sorted_ns + new->n_valid, from->sorted_ns,
		       from->n_valid * sizeof *new->sorted_ns);
		new->n_valid += from->n_valid;
	}
	if (!status)
		status = buf_check(&name, e);
	if (!status) {
		qsort(new->sorted_ns, new->n_valid, sizeof *new->sorted_ns, compare_times);
		new->name = buf_take(&name);
		*out = new;
	} else
		recorded_close(new);
	buf_fini(&name);
	return status;
}

void recorded_close(struct recorded *r)
{
	if (!r)
		return;
	space_free(r->space);
	free(r->name);
	free(r->time_ns);
	free(r->spent_ns);
	free(r->status);
	free(r->sorted_ns);
	free(r);
}
