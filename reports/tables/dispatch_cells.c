/* Measurements of the rows of a dispatch table.
 *
 * The newest record of each configuration becomes a cell of its row. Then each cell is compared
 * with the library's default, in the rounds of its run if it took part in any, else with what the
 * row knows of the default: a cell that is slower serves nothing. Problems on which nothing passed
 * have no row; they are noted as holes of the table. */
#include "reports/tables/dispatch_cells.h"

#include <stdlib.h>
#include <string.h>

#include "db/run_view.h"
#include "reports/results/today.h"
#include "reports/tables/dispatch_data.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"

struct reading {
	struct dispatch_cells *cells;
	size_t row; /* that the last record was of */
};

/* ---- records ---- */

/* Finds the row of a record, from the row of the record before on: records come sorted by subject.
 * False: there is none. */
static bool find_row(struct reading *x, const struct db_record *r)
{
	const struct dispatch *t = x->cells->table;

	for (size_t i = 0; i < t->n_rows; i++, x->row = (x->row + 1) % t->n_rows)
		if (dispatch_is_row_of(&t->rows[x->row], r))
			return true;
	return false;
}

/* Adds a problem on which nothing passed, once: its records come one behind the other. */
static enum asc_status add_hole(struct dispatch *t, const struct db_record *r, struct asc_err *e)
{
	const struct best_row hole = dispatch_result_of(r);

	if (!t->holes)
		t->holes = calloc(1, sizeof *t->holes);
	if (!t->holes)
		return asc_err_nomem(e);
	const size_t n = t->holes->n_rows;

	return n > 0 && dispatch_is_row_of(&t->holes->rows[n - 1], r)
		       ? ASC_OK
		       : dispatch_add(t->holes, &hole, t->simulated, e);
}

struct wanted_key {
	const struct dispatch_cells *cells;
	const char *key;
};

static bool has_key(const void *user, uint32_t id)
{
	const struct wanted_key *w = user;

	return strcmp(w->cells->configs[id], w->key) == 0;
}

static enum asc_status find_config(struct dispatch_cells *c, const char *key, uint32_t *out,
				   struct asc_err *e)
{
	const uint64_t hash = hash_bytes(key, strlen(key));

	*out = intern_find(&c->keys, hash, has_key, &(struct wanted_key){c, key});
	if (*out != INTERN_NONE)
		return ASC_OK;
	if (!array_room(&c->configs, c->n_configs, &c->configs_room, sizeof *c->configs))
		return asc_err_nomem(e);
	c->configs[c->n_configs] = key;
	if (dispatch_keep(c->table, &c->configs[c->n_configs], e))
		return e->status;
	*out = (uint32_t)c->n_configs;
	if (!intern_add(&c->keys, hash, *out))
		return asc_err_nomem(e);
	c->n_configs++;
	return ASC_OK;
}

static enum dispatch_cell_state state_of(const struct db_record *r)
{
	if (str_is_same(r->status, "ok"))
		return r->median_ns > 0 ? DISPATCH_CELL_OK : DISPATCH_CELL_FAILED;
	return str_is_same(r->status, "slow") && r->median_ns > 0 ? DISPATCH_CELL_SLOW
								  : DISPATCH_CELL_FAILED;
}

static enum asc_status add_record(void *user, const struct db_record *r, struct asc_err *e)
{
	struct reading *x = user;
	struct dispatch_cells *c = x->cells;
	uint32_t config;

	if (!find_row(x, r))
		return add_hole(c->table, r, e);
	if (!r->config_key || c->table->rows[x->row].left_out)
		return ASC_OK;
	if (find_config(c, r->config_key, &config, e))
		return e->status;
	if (!array_room(&c->list, c->n, &c->room, sizeof *c->list))
		return asc_err_nomem(e);
	const char *best = c->table->rows[x->row].result.config_key;

	c->list[c->n++] = (struct dispatch_cell){.row = x->row,
						 .config = config,
						 .state = state_of(r),
						 .trial_id = r->trial_id,
						 .run_id = r->run_id,
						 .median_ns = r->median_ns,
						 .of_finals = r->of_finals,
						 .is_default = r->is_default != 0,
						 .is_best = str_is_same(r->config_key, best)};
	return ASC_OK;
}

/* ---- the library's default in the same rounds ---- */

struct rounds { /* times of the library's default in the rounds of one run, for a row's kernel */
	int64_t run_id;
	const struct dispatch_row *row;
	double default_ns, baseline_ns; /* 0: not measured there */
};

static enum asc_status add_finalist(void *user, const struct db_run_final *f, struct asc_err *e)
{
	struct rounds *r = user;
	const struct best_row *b = &r->row->result;
	const char *base = b->baselines.list[0].name;
	const bool own = str_is_same(f->implementation, b->implementation);

	(void)e;
	if (own && (b->default_key ? str_is_same(f->config_key, b->default_key) : f->is_default))
		r->default_ns = f->median_ns;
	if (base && str_is_same(f->implementation, base) &&
	    (!(r->baseline_ns > 0) || f->median_ns < r->baseline_ns))
		r->baseline_ns = f->median_ns;
	return ASC_OK;
}

/* Reads the rounds of a cell of finals, unless they are those of the cell before. */
static enum asc_status read_rounds(struct rounds *r, const struct dispatch_cell *cell,
				   const struct dispatch_row *row, struct db *d, struct asc_err *e)
{
	if (r->run_id == cell->run_id && r->row == row)
		return ASC_OK;
	*r = (struct rounds){.run_id = cell->run_id, .row = row};
	return today_each_run_final(d, r->run_id, add_finalist, r, e);
}

static void set_rival(struct dispatch_cell *cell, const struct dispatch_row *row,
		      const struct rounds *r)
{
	if (r->baseline_ns > 0) {
		cell->rival = row->result.baselines.list[0].name;
		cell->rival_ns = r->baseline_ns;
	} else if (r->default_ns > 0) {
		cell->rival = row->result.implementation;
		cell->rival_ns = r->default_ns;
	}
}

/* Compares a cell with the library's default; a slower one fails. */
static enum asc_status judge(struct dispatch_cell *cell, const struct dispatch_row *row,
			     struct rounds *rounds, struct db *d, struct asc_err *e)
{
	const struct best_row *best = &row->result;
	const bool itself =
		cell->is_default && (!row->rival || str_is_same(row->rival, best->implementation));

	if (cell->of_finals && read_rounds(rounds, cell, row, d, e))
		return e->status;
	if (cell->of_finals) {
		set_rival(cell, row, rounds);
	} else if (best->final_run_id == 0 && best->run_id == cell->run_id) {
		/* Without finals, trials of one run are as near in time as anything is. */
		cell->rival = row->rival;
		cell->rival_ns = row->rival_ns;
	}
	cell->compared = itself || cell->rival || (cell->of_finals && !row->rival);
	/* The default itself has no limit: its time of another moment would be one by chance. */
	const double limit_ns = cell->rival ? cell->rival_ns : itself ? 0 : row->rival_ns;
	/* If the limit is that of the row, the row's best is judged by its time in the row, which
	 * is of the same moment; the cell's own time may be of another one. */
	const double ns = cell->is_best && !cell->rival ? best->median_ns : cell->median_ns;

	if (cell->state == DISPATCH_CELL_OK && limit_ns > 0 && ns > limit_ns)
		cell->state = DISPATCH_CELL_FAILED;
	return ASC_OK;
}

/* Finds the cells that count. If a problem has times of rounds, times of single trials do not
 * count: the fastest of many single trials is a lucky one, and would win against any time of
 * rounds. */
static enum asc_status find_counting(struct dispatch_cells *c, struct asc_err *e)
{
	bool *raced = calloc(c->table->n_rows + 1, sizeof *raced);

	if (!raced)
		return asc_err_nomem(e);
	for (size_t i = 0; i < c->n; i++)
		raced[c->list[i].row] |= c->list[i].of_finals;
	for (size_t i = 0; i < c->n; i++) {
		struct dispatch_cell *cell = &c->list[i];

		cell->counts = cell->state == DISPATCH_CELL_OK &&
			       (cell->compared || !raced[cell->row] || cell->is_best);
	}
	free(raced);
	return ASC_OK;
}

enum asc_status dispatch_cells_read(struct dispatch_cells *c, struct dispatch *t, struct db *d,
				    struct asc_err *e)
{
	const struct db_records which = {.simulated = t->simulated, .newest = true, .finals = true};
	struct reading x = {.cells = c};
	struct rounds rounds = {0};

	c->table = t;
	enum asc_status status = today_each_record(d, &which, add_record, &x, e);

	for (size_t i = 0; i < c->n && status == ASC_OK; i++)
		status = judge(&c->list[i], &t->rows[c->list[i].row], &rounds, d, e);
	return status ? status : find_counting(c, e);
}

void dispatch_cells_fini(struct dispatch_cells *c)
{
	free(c->list);
	free(c->configs);
	intern_fini(&c->keys);
	*c = (struct dispatch_cells){0};
}
