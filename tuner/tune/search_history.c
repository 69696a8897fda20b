#include "tuner/tune/search_history.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "db/earlier.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

enum {
	MOST_TRIED = 16, /* versions of sources that are read until enough have results in the
			    space: each is a query, and far ones teach little */
	/* Distances, in doublings of a dimension (struct nearness): another model counts as a size
	 * that is 16 times as large. */
	MODEL = 4,
	KIND = 8,
	UNKNOWN = 4
};

/* A version of a source, and its distance from what is tuned: a doubling of a dimension, another
 * element type, cache policy or workload are 1, another model of a device MODEL, another kind of
 * device KIND; a dimension that only one of the two has is UNKNOWN. */
struct nearness {
	int64_t run_id, implementation_id; /* as in struct db_earlier_source */
	char *name;
	double distance;
	size_t place; /* in the order of the database, the newest first */
};

struct finding {
	const struct loop_options *o;
	const struct space *space;
	struct nearness *list;
	size_t n, room;
	struct search_history *out;
	size_t list_room;
};

/* ---- which sources ---- */

/* Finds a dimension by its name; what other programs have measured may have it in other letters,
 * `m` for M. */
static const struct json_node *find_dimension(const struct json_node *dims, const char *name)
{
	const struct json_node *n = json_find(dims, name);

	for (const struct json_node *m = n ? NULL : json_first(dims); m && !n; m = json_next(m))
		if (strcasecmp(json_key(m), name) == 0)
			n = m;
	return n;
}

static double dimension_distance(const struct json_node *dims, const struct dimension *d)
{
	const struct json_node *n = dims ? find_dimension(dims, d->name) : NULL;
	struct value other;
	struct asc_err e;

	if (!n || json_get_value(n, &other, &e))
		return UNKNOWN;
	const double a = value_as_real(d->value), b = value_as_real(other);

	if (a > 0 && b > 0 && isfinite(a) && isfinite(b))
		return fabs(log2(a / b));
	return value_equal(d->value, other) ? 0 : 1;
}

static double type_distance(const struct json_node *dtypes, const struct dtype_variable *t)
{
	const struct json_node *n = dtypes ? json_find(dtypes, t->name) : NULL;
	const char *name = NULL;
	struct asc_err e;

	if (!n || json_get_string(n, &name, &e))
		return 1;
	return strcmp(name, dtype_name(t->dtype)) != 0;
}

/* Reads a text of the database; *doc NULL: there is none, or it is damaged. */
static enum asc_status read_text(const char *name, const char *text, struct json_doc **doc,
				 struct asc_err *e)
{
	*doc = NULL;
	if (!text || json_open_text(name, text, strlen(text), doc, e) == ASC_OK)
		return ASC_OK;
	*doc = NULL;
	return e->status == ASC_NOMEM ? ASC_NOMEM : ASC_OK;
}

/* Finds the distance of two problems; `text` is the JSON of the other's dimensions and types. */
static enum asc_status problem_distance(const struct problem *p, const char *text, double *out,
					struct asc_err *e)
{
	struct json_doc *doc = NULL;
	double sum = 0;

	if (read_text("dimensions", text, &doc, e))
		return e->status;
	const struct json_node *root = doc ? json_root(doc) : NULL;
	const struct json_node *dims = root ? json_find(root, "dims") : NULL;
	const struct json_node *dtypes = root ? json_find(root, "dtypes") : NULL;

	for (size_t i = 0; i < p->n_dims; i++)
		sum += dimension_distance(dims, &p->dims[i]);
	for (size_t i = 0; i < p->n_dtypes; i++)
		sum += type_distance(dtypes, &p->dtypes[i]);
	json_close(doc);
	*out = sum;
	return ASC_OK;
}

static enum asc_status find_distance(const struct loop_options *o,
				     const struct db_earlier_source *s, double *out,
				     struct asc_err *e)
{
	const struct evaluator_target *t = &o->session->target;
	double sum;

	if (problem_distance(o->problem, s->dims_json, &sum, e))
		return e->status;
	if (!str_is_same(s->device_model, t->info->model))
		sum += str_is_same(s->device_kind, t->device->name) ? MODEL : KIND;
	sum += !str_is_same(s->workload, o->workload->name);
	sum += !str_is_same(s->cache_policy, cache_policy_name(o->session->policy.cache));
	*out = sum;
	return ASC_OK;
}

static enum asc_status add_source(void *user, const struct db_earlier_source *s, struct asc_err *e)
{
	struct finding *f = user;

	if (!array_room(&f->list, f->n, &f->room, sizeof *f->list))
		return asc_err_nomem(e);
	struct nearness *new = &f->list[f->n];

	*new = (struct nearness){
		.run_id = s->run_id, .implementation_id = s->implementation_id, .place = f->n};
	if (find_distance(f->o, s, &new->distance, e))
		return e->status;
	new->name = str_print("%s/%s on %s%s%s", s->workload, s->problem, s->device_kind,
			      s->device_model ? ": " : "", s->device_model ? s->device_model : "");
	if (!new->name)
		return asc_err_nomem(e);
	f->n++;
	return ASC_OK;
}

static int by_distance(const void *a, const void *b)
{
	const struct nearness *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* ---- their results ---- */

/* Reads the values of the space's parameters; *found false unless the text has these and no others.
 */
static enum asc_status read_config(const struct space *space, const char *text, struct config *out,
				   bool *found, struct asc_err *e)
{
	const size_t n = out->n = space_params(space);
	struct json_doc *doc = NULL;
	enum asc_status status = read_text("configuration", text, &doc, e);
	const struct json_node *root = doc ? json_root(doc) : NULL;

	*found = root && json_type(root) == JSON_OBJECT && json_count(root) == n;
	for (size_t i = 0; *found && i < n; i++) {
		const struct json_node *value = json_find(root, space_names(space)[i]);

		*found = value && json_get_choice(value, &out->values[i], e) == ASC_OK;
		if (value && !*found && e->status == ASC_NOMEM)
			status = e->status;
	}
	json_close(doc);
	return status;
}

/* Adds a result to the last source, if it counts. */
static enum asc_status add_result(void *user, const char *config_json, double median_ns,
				  struct asc_err *e)
{
	struct finding *f = user;
	struct search_history *h = f->out;
	struct search_history_source *source = &h->sources[h->n_sources - 1];
	struct strategy_known known = {.score = median_ns, .source = source->name};
	uint64_t index;
	bool found;

	if (read_config(f->space, config_json, &known.config, &found, e))
		return e->status;
	if (!found || !strategy_known_find(&known, f->space, &index))
		return ASC_OK;
	if (!array_room(&h->list, h->n, &f->list_room, sizeof *h->list))
		return asc_err_nomem(e);
	h->list[h->n++] = known;
	source->n++;
	return ASC_OK;
}

/* Takes the sources in the order of their distance, the newest version of each that has enough
 * results. */
static enum asc_status take_sources(struct finding *f, struct db *db, struct asc_err *e)
{
	struct search_history *h = f->out;
	enum asc_status status = ASC_OK;
	size_t tried = 0;

	if (f->n > 0)
		qsort(f->list, f->n, sizeof *f->list, by_distance);
	for (size_t i = 0;
	     !status && i < f->n && tried < MOST_TRIED && h->n_sources < STRATEGY_HISTORY_SOURCES;
	     i++) {
		struct nearness *from = &f->list[i];
		size_t k = 0;

		while (k < h->n_sources && strcmp(h->sources[k].name, from->name) != 0)
			k++;
		if (k < h->n_sources) /* a newer version is taken */
			continue;
		tried++;
		h->sources[h->n_sources++] = (struct search_history_source){
			.name = from->name,
			.run_id = from->run_id,
			.implementation_id = from->implementation_id};
		from->name = NULL;
		status = db_each_earlier_result(db, from->run_id, from->implementation_id,
						add_result, f, e);
		/* Too few to say what is fast; an older version of the source may have more. */
		if (h->sources[k].n < STRATEGY_HISTORY_FEWEST) {
			h->n -= h->sources[k].n;
			h->n_sources--;
			free(h->sources[k].name);
		}
	}
	return status;
}

enum asc_status search_history_find(struct search_history *out, const struct loop_options *o,
				    const struct implementation *i, const struct space *space,
				    struct db *db, struct asc_err *e)
{
	const struct db_kernel kernel = {o->workload->name, o->workload->operator_name, i->name};
	struct finding f = {.o = o, .space = space, .out = out};

	*out = (struct search_history){0};
	enum asc_status status = db_each_earlier_source(db, &kernel, add_source, &f, e);

	if (status == ASC_OK)
		status = take_sources(&f, db, e);
	for (size_t k = 0; k < f.n; k++)
		free(f.list[k].name);
	free(f.list);
	return status;
}

void search_history_fini(struct search_history *h)
{
	for (size_t i = 0; i < h->n_sources; i++)
		free(h->sources[i].name);
	free(h->list);
	*h = (struct search_history){0};
}

/* ---- words and JSON ---- */

/* Number of results of a source of search `at`, each source counted once: the largest number of
 * any search, since spaces differ; 0 if an earlier search has the source. */
static size_t count_source(const struct impl_searches *a, size_t at,
			   const struct search_history_source *source)
{
	size_t most = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct search_history *h = &a->list[i].history;

		for (size_t k = 0; k < h->n_sources; k++) {
			const struct search_history_source *s = &h->sources[k];

			if (s->run_id != source->run_id ||
			    s->implementation_id != source->implementation_id)
				continue;
			if (i < at)
				return 0;
			most = s->n > most ? s->n : most;
		}
	}
	return most;
}

/* Number of results of all sources of this name (NULL: of any) from search `at` on; 0 if an earlier
 * search has the name. */
static size_t count_named(const struct impl_searches *a, size_t at, const char *name)
{
	size_t sum = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct search_history *h = &a->list[i].history;

		for (size_t k = 0; k < h->n_sources; k++) {
			if (name && strcmp(h->sources[k].name, name) != 0)
				continue;
			if (i < at)
				return 0;
			sum += count_source(a, i, &h->sources[k]);
		}
	}
	return sum;
}

static size_t count_all(const struct impl_searches *a)
{
	return count_named(a, 0, NULL);
}

void search_history_print(const struct impl_searches *a, struct buf *out)
{
	const size_t all = count_all(a);
	const char *before = ": ";

	if (all == 0)
		return;
	buf_print(out, "%zu results", all);
	for (size_t i = 0; i < a->n; i++) {
		const struct search_history *h = &a->list[i].history;

		for (size_t k = 0; k < h->n_sources; k++) {
			const size_t n = count_named(a, i, h->sources[k].name);

			if (n == 0)
				continue;
			buf_print(out, "%s%s (%zu)", before, h->sources[k].name, n);
			before = ", ";
		}
	}
}

void search_history_write_json(const struct impl_searches *a, struct buf *out)
{
	struct json_writer w = {out, false};

	if (count_all(a) == 0)
		return;
	json_write_begin(&w, NULL, '{');
	json_write_count(&w, "results", count_all(a));
	json_write_begin(&w, "sources", '[');
	for (size_t i = 0; i < a->n; i++) {
		const struct search_history *h = &a->list[i].history;

		for (size_t k = 0; k < h->n_sources; k++) {
			json_write_begin(&w, NULL, '{');
			json_write_string(&w, "implementation", a->list[i].implementation->name);
			json_write_string(&w, "source", h->sources[k].name);
			json_write_count(&w, "results", h->sources[k].n);
			json_write_end(&w, '}');
		}
	}
	json_write_end(&w, ']');
	json_write_end(&w, '}');
}
