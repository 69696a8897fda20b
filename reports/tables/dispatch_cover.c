/* Few configurations for all problems of a kernel, in the place of the best of each problem.
 *
 * Rows of a table are taken kernel by kernel. What was measured of a kernel becomes a table of
 * times, a problem a line, a configuration a column; a cover is chosen over it, and each row's
 * result becomes the record of the configuration that the cover gives the row's problem.
 *
 * A plan asks before that what has to be measured: the cells of a choice that were not, or not
 * recently enough. It may choose by estimates, too: a configuration that promises to serve many
 * problems is then tried on those where it was never launched. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover.h"
#include "reports/tables/dispatch_cells.h"
#include "reports/tables/dispatch_data.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"

/* A configuration that is more than a quarter slower than allowed wherever it was measured is not
 * tried elsewhere: losses of one configuration on problems of similar sizes are similar. */
static const double most_tried_loss = 0.25;

/* Choices that one plan asks for. Each is made without the cells that the earlier ones asked for; a
 * fourth guess is worth less than a look at the first three's measurements. */
enum { CHOICES = 3 };

/* ---- rows of one kernel ---- */

static bool is_one_kernel(const struct dispatch_row *a, const struct dispatch_row *b)
{
	const struct best_row *x = &a->result, *y = &b->result;
	bool same = str_is_same(x->implementation, y->implementation) &&
		    str_is_same(x->workload, y->workload) &&
		    str_is_same(x->operator_name, y->operator_name) &&
		    str_is_same(x->device_fingerprint, y->device_fingerprint) &&
		    str_is_same(x->cache_policy, y->cache_policy) && a->n_sizes == b->n_sizes &&
		    a->n_types == b->n_types;

	for (size_t i = 0; same && i < a->n_sizes; i++)
		same = str_is_same(a->sizes[i].name, b->sizes[i].name);
	for (size_t i = 0; same && i < a->n_types; i++)
		same = str_is_same(a->types[i].name, b->types[i].name) &&
		       str_is_same(a->types[i].type, b->types[i].type);
	return same;
}

struct kernel { /* rows of one kernel, and what was measured of them */
	const struct dispatch_cells *cells;
	const struct dispatch_plan *plan; /* NULL: the cover is chosen now, by what was measured */
	size_t *rows;                     /* of each problem: its row */
	uint32_t *configs;                /* of each column: number of its configuration's key */
	const struct dispatch_cell **of;  /* of each of the table's times; NULL: not measured */
	int64_t *sizes;
	double *times_ns;
	double *measured_ns; /* times without estimates; NULL: there are none */
	struct cover_table table;
};

static void kernel_fini(struct kernel *k)
{
	free(k->rows);
	free(k->configs);
	free(k->of);
	free(k->sizes);
	free(k->times_ns);
	free(k->measured_ns);
}

static const char *key_of(const struct kernel *k, size_t column)
{
	return k->cells->configs[k->configs[column]];
}

static const struct dispatch_row *row_of(const struct kernel *k, size_t problem)
{
	return &k->cells->table->rows[k->rows[problem]];
}

static bool is_tried(const struct kernel *k, size_t problem, size_t column)
{
	return k->plan->is_tried(k->plan->user, row_of(k, problem), key_of(k, column));
}

/* Makes problems of the rows of one kernel, that of row `first`, and marks them as taken. A row
 * that no cell serves is no problem: there is nothing to choose from. */
static void take_rows(struct kernel *k, size_t first, bool *taken)
{
	const struct dispatch_row *rows = k->cells->table->rows;

	for (size_t i = 0; i < k->cells->n; i++) {
		const size_t row = k->cells->list[i].row;

		if (!k->cells->list[i].counts || taken[row] ||
		    !is_one_kernel(&rows[first], &rows[row]))
			continue;
		taken[row] = true;
		for (size_t s = 0; s < rows[row].n_sizes; s++)
			k->sizes[k->table.n_problems * k->table.n_axes + s] =
				rows[row].sizes[s].low;
		k->rows[k->table.n_problems++] = row;
	}
}

/* Time of a cell in the table: no other configuration is faster than the best of the row, whose
 * time may be of finals, while the cell's is of a search at another moment. */
static double time_of(const struct kernel *k, const struct dispatch_cell *cell)
{
	const double best_ns = k->cells->table->rows[cell->row].result.median_ns;

	return cell->is_best ? fmin(cell->median_ns, best_ns) : fmax(cell->median_ns, best_ns);
}

/* True for a cell whose configuration is worth a column. */
static bool may_serve(const struct kernel *k, const struct dispatch_cell *cell)
{
	const double best_ns = k->cells->table->rows[cell->row].result.median_ns;

	return cell->state == DISPATCH_CELL_OK &&
	       (!k->plan || !k->plan->estimates ||
		time_of(k, cell) <= best_ns * (1 + k->plan->loss + most_tried_loss));
}

/* Makes columns of the configurations that may serve. problems[row] is the number of the row's
 * problem, columns[config] will be that of the configuration's column; all ones: none. */
static void take_columns(struct kernel *k, const size_t *problems, uint32_t *columns)
{
	for (size_t i = 0; i < k->cells->n; i++) {
		const struct dispatch_cell *cell = &k->cells->list[i];

		if (problems[cell->row] == SIZE_MAX || columns[cell->config] != UINT32_MAX ||
		    !may_serve(k, cell))
			continue;
		columns[cell->config] = (uint32_t)k->table.n_configs;
		k->configs[k->table.n_configs++] = cell->config;
	}
}

static void take_cells(struct kernel *k, const size_t *problems, const uint32_t *columns)
{
	for (size_t i = 0; i < k->cells->n; i++) {
		const struct dispatch_cell *cell = &k->cells->list[i];
		const size_t problem = problems[cell->row];
		const uint32_t column = columns[cell->config];

		if (problem == SIZE_MAX || column == UINT32_MAX)
			continue;
		const size_t at = problem * k->table.n_configs + column;

		k->of[at] = cell;
		if (cell->counts)
			k->times_ns[at] = time_of(k, cell);
	}
}

/* Sets estimates where nothing was measured. A cell whose time does not count has that time: it
 * says more about the problem than its neighbours do. */
static enum asc_status estimate(struct kernel *k, struct asc_err *e)
{
	const size_t n = k->table.n_problems * k->table.n_configs;
	bool *open = calloc(n + 1, sizeof *open);
	double *times_ns = calloc(n + 1, sizeof *times_ns);
	bool ok = open && times_ns;

	k->measured_ns = calloc(n + 1, sizeof *k->measured_ns);
	ok = ok && k->measured_ns;
	if (ok)
		memcpy(k->measured_ns, k->times_ns, n * sizeof *k->measured_ns);

	for (size_t at = 0; ok && at < n; at++) {
		const size_t problem = at / k->table.n_configs, column = at % k->table.n_configs;

		/* Neither what is known, nor what failed or was asked for in vain. */
		if (k->times_ns[at] > 0 ||
		    (k->of[at] && k->of[at]->state == DISPATCH_CELL_FAILED) ||
		    is_tried(k, problem, column))
			continue;
		open[at] = !k->of[at];
		if (k->of[at])
			k->times_ns[at] = time_of(k, k->of[at]);
	}
	ok = ok && cover_estimate(&k->table, open, times_ns);
	if (ok)
		memcpy(k->times_ns, times_ns, n * sizeof *times_ns);
	free(open);
	free(times_ns);
	return ok ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status fill_table(struct kernel *k, struct asc_err *e)
{
	const size_t n_rows = k->cells->table->n_rows, n_configs = k->cells->n_configs;
	size_t *problems = calloc(n_rows + 1, sizeof *problems), n = 0;
	uint32_t *columns = calloc(n_configs + 1, sizeof *columns);
	bool ok = problems && columns;

	if (ok) {
		memset(problems, 0xff, n_rows * sizeof *problems);
		memset(columns, 0xff, n_configs * sizeof *columns);
		for (size_t p = 0; p < k->table.n_problems; p++)
			problems[k->rows[p]] = p;
		take_columns(k, problems, columns);
		n = k->table.n_problems * k->table.n_configs;
	}
	k->of = calloc(n + 1, sizeof(void *));
	k->times_ns = calloc(n + 1, sizeof *k->times_ns);
	ok = ok && k->of && k->times_ns;
	k->table.times_ns = k->times_ns;
	if (ok)
		take_cells(k, problems, columns);
	free(problems);
	free(columns);
	return ok ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status kernel_init(struct kernel *k, const struct dispatch_cells *cells,
				   const struct dispatch_plan *plan, size_t first, bool *taken,
				   struct asc_err *e)
{
	const size_t n = cells->table->n_rows, n_sizes = cells->table->rows[first].n_sizes;

	*k = (struct kernel){.cells = cells,
			     .plan = plan,
			     .rows = calloc(n, sizeof *k->rows),
			     .configs = calloc(cells->n_configs + 1, sizeof *k->configs),
			     .sizes = calloc(n * n_sizes + 1, sizeof *k->sizes)};
	if (!k->rows || !k->configs || !k->sizes)
		return asc_err_nomem(e);
	k->table.n_axes = n_sizes;
	k->table.sizes = k->sizes;
	take_rows(k, first, taken);
	if (fill_table(k, e))
		return e->status;
	return plan && plan->estimates ? estimate(k, e) : ASC_OK;
}

/* Chooses the fewest configurations whose loss is allowed. */
static enum asc_status choose(const struct cover_table *t, double loss, struct cover *out,
			      struct asc_err *e)
{
	return cover_choose(t, (struct cover_limits){1, t->n_configs, loss}, out, e);
}

static size_t find_column(const struct kernel *k, const struct cover *cover, size_t problem)
{
	return cover_find(cover, k->sizes + problem * k->table.n_axes);
}

/* ---- what serves ---- */

struct replacing {
	struct dispatch *table;
	struct dispatch_row *row;
	const struct dispatch_cell *cell;
};

/* Puts a record in the place of the row's result. What is the workload's, not the record's, stays:
 * names in libraries, kinds of sizes, and the digest of the kernel's source. */
static enum asc_status replace(void *user, const struct db_record *r, struct asc_err *e)
{
	const struct replacing *x = user;
	const struct best_row old = x->row->result;
	struct best_row result = dispatch_result_of(r);

	result.provenance_json = r->provenance_json;
	result.export_json = old.export_json;
	result.kinds_json = old.kinds_json;
	result.source_digest = old.source_digest;
	result.own_implementation = old.own_implementation;
	x->row->best_key = old.config_key;
	x->row->rival = x->cell->rival;
	x->row->rival_ns = x->cell->rival_ns;
	x->row->result = result;
	return dispatch_keep_result(x->table, &x->row->result, e);
}

static enum asc_status serve(struct dispatch *t, const struct kernel *k, const struct cover *cover,
			     struct db *d, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t p = 0; p < k->table.n_problems && status == ASC_OK; p++) {
		const size_t column = find_column(k, cover, p);
		struct replacing x = {t, &t->rows[k->rows[p]],
				      k->of[p * k->table.n_configs + column]};

		x.row->cover = t->n_covers;
		x.row->place = p;
		x.row->loss = cover_loss(&k->table, p, column);
		x.row->compared = x.cell->compared;
		if (!str_is_same(key_of(k, column), x.row->result.config_key))
			status = db_find_record(d, x.cell->trial_id, replace, &x, e);
	}
	return status;
}

static enum asc_status cover_kernel(struct dispatch *t, struct kernel *k, struct db *d, double loss,
				    struct asc_err *e)
{
	if (!array_room(&t->covers, t->n_covers, &t->covers_room, sizeof *t->covers))
		return asc_err_nomem(e);
	struct dispatch_cover *own = &t->covers[t->n_covers];

	*own = (struct dispatch_cover){.row = k->rows[0],
				       .n_problems = k->table.n_problems,
				       .choice = calloc(1, sizeof *own->choice),
				       .n_axes = k->table.n_axes};
	if (!own->choice)
		return asc_err_nomem(e);
	t->n_covers++;
	if (choose(&k->table, loss, own->choice, e))
		return e->status;
	own->n_configs = own->choice->n_configs;
	own->loss = own->choice->loss;
	own->worst_loss = own->choice->worst_loss;
	const enum asc_status status = serve(t, k, own->choice, d, e);

	/* dispatch_widen() asks the tree again, between these sizes. */
	own->sizes = k->sizes;
	k->sizes = NULL;
	return status;
}

void dispatch_note_covers(const struct dispatch *t)
{
	for (const struct dispatch_cover *c = t->covers; c < t->covers + t->n_covers; c++) {
		const struct best_row *r = &t->rows[c->row].result;

		if (c->n_problems > 1)
			log_print(LOG_NOTE,
				  "%s on %s, %s: %zu configuration%s for %zu problems, with a loss "
				  "of %.1f %%, at worst %.1f %%",
				  r->implementation, r->device_model, r->cache_policy, c->n_configs,
				  c->n_configs == 1 ? "" : "s", c->n_problems, 100 * c->loss,
				  100 * c->worst_loss);
	}
}

/* ---- what is to be measured ---- */

struct needs {
	struct dispatch_need *list;
	size_t n, room;
};

/* True for a cell that was measured since the time that the plan asks for, and in rounds if it asks
 * for that; or for one that was asked for before: a second attempt would end like the first. */
static bool is_settled(const struct kernel *k, size_t problem, size_t column)
{
	const struct dispatch_cell *cell = k->of[problem * k->table.n_configs + column];

	return (cell && cell->state == DISPATCH_CELL_OK && cell->run_id >= k->plan->since &&
		(cell->compared || !k->plan->rounds)) ||
	       is_tried(k, problem, column);
}

/* Adds the cells of a choice by the kernel's times that are not settled. *n_configs is the number
 * of configurations that the choice has. */
static enum asc_status add_choice(struct needs *out, struct kernel *k, size_t *n_configs,
				  struct asc_err *e)
{
	struct cover cover = {0};
	enum asc_status status = choose(&k->table, k->plan->loss, &cover, e);

	*n_configs = cover.n_configs;
	for (size_t p = 0; p < k->table.n_problems && status == ASC_OK; p++) {
		const size_t column = find_column(k, &cover, p);

		if (is_settled(k, p, column))
			continue;
		if (!array_room(&out->list, out->n, &out->room, sizeof *out->list))
			status = asc_err_nomem(e);
		else
			out->list[out->n++] = (struct dispatch_need){k->rows[p], key_of(k, column)};
		/* Without its estimate the cell serves nothing, so that the next choice differs. */
		if (k->plan->estimates)
			k->times_ns[p * k->table.n_configs + column] = 0;
	}
	cover_fini(&cover);
	return status;
}

/* Counts the configurations of a choice by what was measured alone. */
static enum asc_status count_measured(const struct kernel *k, size_t *n, struct asc_err *e)
{
	struct cover_table t = k->table;
	struct cover cover = {0};

	t.times_ns = k->measured_ns;
	const enum asc_status status = choose(&t, k->plan->loss, &cover, e);

	*n = cover.n_configs;
	cover_fini(&cover);
	return status;
}

/* Adds what a kernel needs. With estimates, up to CHOICES choices are asked for, as long as each
 * has fewer configurations than a choice without estimates, for which nothing has to be measured.
 */
static enum asc_status add_needs(struct needs *out, struct kernel *k, struct asc_err *e)
{
	size_t n_measured, n_configs;

	if (!k->plan->estimates)
		return add_choice(out, k, &n_configs, e);
	enum asc_status status = count_measured(k, &n_measured, e);

	for (int i = 0; i < CHOICES && status == ASC_OK; i++) {
		const size_t before = out->n;

		status = add_choice(out, k, &n_configs, e);
		if (status == ASC_OK && n_configs >= n_measured)
			out->n = before; /* measuring for it gains nothing */
		if (out->n == before)
			break;
	}
	/* A later choice may find no cover in what is left: the earlier ones are asked for. */
	return status == ASC_NOTFOUND ? ASC_OK : status;
}

/* ---- all kernels ---- */

/* Covers all kernels or, with a plan, adds what they need. */
static enum asc_status visit_kernels(struct dispatch *t, struct db *d, double loss,
				     const struct dispatch_plan *plan, struct needs *needs,
				     struct asc_err *e)
{
	struct dispatch_cells cells = {0};
	bool *taken = calloc(t->n_rows + 1, sizeof *taken);
	enum asc_status status = taken ? dispatch_cells_read(&cells, t, d, e) : asc_err_nomem(e);

	for (size_t i = 0; i < cells.n && status == ASC_OK; i++) {
		const struct dispatch_cell *cell = &cells.list[i];
		struct kernel k;

		if (taken[cell->row] || !cell->counts)
			continue;
		status = kernel_init(&k, &cells, plan, cell->row, taken, e);
		if (status == ASC_OK)
			status = plan ? add_needs(needs, &k, e) : cover_kernel(t, &k, d, loss, e);
		kernel_fini(&k);
	}
	free(taken);
	dispatch_cells_fini(&cells);
	return status;
}

enum asc_status dispatch_cover(struct dispatch *t, struct db *d, double loss, struct asc_err *e)
{
	return visit_kernels(t, d, loss, NULL, NULL, e);
}

enum asc_status dispatch_plan_cover(struct dispatch *t, struct db *d, const struct dispatch_plan *p,
				    struct dispatch_need **out, size_t *n, struct asc_err *e)
{
	struct needs needs = {0};
	enum asc_status status = visit_kernels(t, d, p->loss, p, &needs, e);

	if (status) {
		free(needs.list);
		needs = (struct needs){0};
	}
	*out = needs.list;
	*n = needs.n;
	return status;
}
