/* Few configurations for all problems of a kernel, in the place of the best of each problem. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/dispatch/dispatch_data.h"
#include "tuner/base/array.h"
#include "tuner/base/log.h"
#include "tuner/cover/cover.h"

struct measured { /* a configuration of a row's kernel on its problem */
	size_t row;
	uint32_t config;
	int64_t trial_id;
	double median_ns;
};

struct covering {
	struct dispatch *table;
	size_t row;           /* that the last record was of */
	const char **configs; /* keys of configurations, each once */
	size_t n_configs, configs_room;
	struct measured *list;
	size_t n, room;
};

static bool is_same(const char *a, const char *b)
{
	return dispatch_compare(a, b) == 0;
}

/* ---- what was measured ---- */

static bool is_of(const struct dispatch_row *row, const struct db_record *r)
{
	const struct db_best *b = &row->result;

	return is_same(b->problem, r->problem) && is_same(b->dims_json, r->dims_json) &&
	       is_same(b->workload, r->workload) &&
	       is_same(b->device_fingerprint, r->device_fingerprint) &&
	       is_same(b->cache_policy, r->cache_policy) &&
	       is_same(b->implementation, r->implementation);
}

/* Finds the row of a record; that of the one before, mostly. */
static bool find_row(struct covering *c, const struct db_record *r)
{
	const size_t n = c->table->n_rows;

	for (size_t i = 0; i < n; i++, c->row = (c->row + 1) % n)
		if (is_of(&c->table->rows[c->row], r))
			return !c->table->rows[c->row].left_out;
	return false;
}

static enum asc_status find_config(struct covering *c, const char *key, uint32_t *out,
				   struct asc_err *e)
{
	for (*out = 0; *out < c->n_configs; ++*out)
		if (is_same(c->configs[*out], key))
			return ASC_OK;
	if (!array_room(&c->configs, c->n_configs, &c->configs_room, sizeof *c->configs))
		return asc_err_nomem(e);
	c->configs[c->n_configs] = key;
	return dispatch_keep(c->table, &c->configs[c->n_configs++], e);
}

/* Adds a measured configuration, unless it is slower than the library's default: it does not serve
 * that problem then. */
static enum asc_status add_measured(void *user, const struct db_record *r, struct asc_err *e)
{
	struct covering *c = user;
	uint32_t config;

	if (!is_same(r->status, "ok") || !(r->median_ns > 0) || !find_row(c, r))
		return ASC_OK;
	const double rival_ns = c->table->rows[c->row].rival_ns;

	if (rival_ns > 0 && r->median_ns > rival_ns)
		return ASC_OK;
	if (find_config(c, r->config_key, &config, e))
		return e->status;
	if (!array_room(&c->list, c->n, &c->room, sizeof *c->list))
		return asc_err_nomem(e);
	c->list[c->n++] = (struct measured){c->row, config, r->trial_id, r->median_ns};
	return ASC_OK;
}

/* ---- rows of one kernel ---- */

static bool has_same_names(const struct dispatch_row *a, const struct dispatch_row *b)
{
	bool same = a->n_sizes == b->n_sizes && a->n_types == b->n_types;

	for (size_t i = 0; same && i < a->n_sizes; i++)
		same = is_same(a->sizes[i].name, b->sizes[i].name);
	for (size_t i = 0; same && i < a->n_types; i++)
		same = is_same(a->types[i].name, b->types[i].name) &&
		       is_same(a->types[i].type, b->types[i].type);
	return same;
}

static bool is_one_kernel(const struct dispatch_row *a, const struct dispatch_row *b)
{
	const struct db_best *x = &a->result, *y = &b->result;

	return is_same(x->implementation, y->implementation) && is_same(x->workload, y->workload) &&
	       is_same(x->operator_name, y->operator_name) &&
	       is_same(x->device_fingerprint, y->device_fingerprint) &&
	       is_same(x->cache_policy, y->cache_policy) && has_same_names(a, b);
}

struct kernel { /* rows of one kernel, and what was measured of them */
	size_t *rows;
	int64_t *sizes;
	double *times_ns;
	int64_t *trials; /* of the times */
	struct cover_table table;
};

static void kernel_fini(struct kernel *k)
{
	free(k->rows);
	free(k->sizes);
	free(k->times_ns);
	free(k->trials);
}

/* Takes the rows of the kernel of row `first` that something may serve; they are `taken` then. */
static void take_rows(struct kernel *k, const struct covering *c, size_t first, bool *taken)
{
	const struct dispatch_row *rows = c->table->rows;

	for (size_t i = 0; i < c->n; i++) {
		const size_t row = c->list[i].row;

		if (taken[row] || !is_one_kernel(&rows[first], &rows[row]))
			continue;
		taken[row] = true;
		for (size_t s = 0; s < rows[row].n_sizes; s++)
			k->sizes[k->table.n_problems * k->table.n_axes + s] =
				rows[row].sizes[s].low;
		k->rows[k->table.n_problems++] = row;
	}
}

/* The best of a row counts as its fastest: finals may have found what the search did not. */
static double time_of(const struct covering *c, const struct measured *m)
{
	const struct db_best *best = &c->table->rows[m->row].result;

	return is_same(c->configs[m->config], best->config_key)
		       ? fmin(m->median_ns, best->median_ns)
		       : fmax(m->median_ns, best->median_ns);
}

static void take_times(struct kernel *k, const struct covering *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t p = 0; p < k->table.n_problems; p++) {
			const size_t at = p * c->n_configs + c->list[i].config;

			if (k->rows[p] != c->list[i].row)
				continue;
			k->times_ns[at] = time_of(c, &c->list[i]);
			k->trials[at] = c->list[i].trial_id;
		}
}

static enum asc_status kernel_init(struct kernel *k, const struct covering *c, size_t first,
				   bool *taken, struct asc_err *e)
{
	const size_t n = c->table->n_rows, n_sizes = c->table->rows[first].n_sizes;

	*k = (struct kernel){.rows = calloc(n, sizeof *k->rows),
			     .sizes = calloc(n * n_sizes + 1, sizeof *k->sizes)};
	k->table.n_configs = c->n_configs;
	k->table.n_axes = n_sizes;
	if (!k->rows || !k->sizes)
		return asc_err_nomem(e);
	take_rows(k, c, first, taken);
	k->times_ns = calloc(k->table.n_problems * c->n_configs + 1, sizeof *k->times_ns);
	k->trials = calloc(k->table.n_problems * c->n_configs + 1, sizeof *k->trials);
	if (!k->times_ns || !k->trials)
		return asc_err_nomem(e);
	take_times(k, c);
	k->table.sizes = k->sizes;
	k->table.times_ns = k->times_ns;
	return ASC_OK;
}

/* ---- what serves ---- */

struct replacing {
	struct dispatch *table;
	struct dispatch_row *row;
};

/* Puts a record in the place of the row's result; members that a record does not have stay. */
static enum asc_status replace(void *user, const struct db_record *r, struct asc_err *e)
{
	const struct replacing *x = user;
	const struct db_best old = x->row->result;
	struct db_best result = dispatch_result_of(r);

	result.provenance_json = r->provenance_json;
	result.export_json = old.export_json;
	result.kinds_json = old.kinds_json;
	result.source_digest = old.source_digest;
	x->row->best_key = old.config_key;
	x->row->rival = NULL; /* it was in other rounds */
	x->row->rival_ns = 0;
	x->row->result = result;
	return dispatch_keep_result(x->table, &x->row->result, e);
}

static enum asc_status replace_all(const struct kernel *k, const struct cover *cover,
				   const struct covering *c, struct db *d, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t p = 0; p < k->table.n_problems && status == ASC_OK; p++) {
		const uint32_t config = cover_find(cover, k->sizes + p * k->table.n_axes);
		struct replacing x = {c->table, &c->table->rows[k->rows[p]]};

		if (!is_same(c->configs[config], x.row->result.config_key))
			status = db_find_record(d, k->trials[p * c->n_configs + config], replace,
						&x, e);
	}
	return status;
}

static enum asc_status cover_kernel(struct covering *c, size_t first, bool *taken, struct db *d,
				    double loss, struct asc_err *e)
{
	const struct dispatch_row *row = &c->table->rows[first];
	struct kernel k;
	struct cover cover = {0};
	enum asc_status status = kernel_init(&k, c, first, taken, e);

	if (status == ASC_OK && k.table.n_problems > 1)
		status = cover_choose(&k.table, (struct cover_limits){1, c->n_configs, loss},
				      &cover, e);
	if (status == ASC_OK && cover.n_configs > 0)
		log_print(LOG_NOTE,
			  "%s on %s, %s: %zu configuration%s for %zu problems, with a loss of "
			  "%.1f %%, at worst %.1f %%",
			  row->result.implementation, row->result.device_model,
			  row->result.cache_policy, cover.n_configs,
			  cover.n_configs == 1 ? "" : "s", k.table.n_problems, 100 * cover.loss,
			  100 * cover.worst_loss);
	if (status == ASC_OK && cover.n_configs > 0)
		status = replace_all(&k, &cover, c, d, e);
	cover_fini(&cover);
	kernel_fini(&k);
	return status;
}

enum asc_status dispatch_cover(struct dispatch *t, struct db *d, double loss, struct asc_err *e)
{
	const struct db_records which = {.newest = true, .finals = true};
	struct covering c = {.table = t};
	bool *taken = calloc(t->n_rows + 1, sizeof *taken);
	enum asc_status status =
		taken ? db_each_record(d, &which, add_measured, &c, e) : asc_err_nomem(e);

	for (size_t i = 0; i < c.n && status == ASC_OK; i++)
		if (!taken[c.list[i].row])
			status = cover_kernel(&c, c.list[i].row, taken, d, loss, e);
	free(taken);
	free(c.list);
	free(c.configs);
	return status;
}
