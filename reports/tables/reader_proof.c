/* Proof of a file whose rows are found by size:
 *
 * 1. Sizes of the reader's ladder without a result get rows that hold the library's default.
 * 2. Such a row serves sizes on both sides of its own. Where one of them has another default, that
 *    gets a row of its own.
 * 3. Each other answer is asked for at the ends of the sizes that it serves, behind its own,
 *    half-way to both ends, and where the default changes between them: it has to have been shown
 *    faster than the default there, in the same rounds. Where it was not, the default gets a row:
 *    at that size or, near the answer's own row, right beside this. Where inputs are drawn that
 *    decide the work, as the experts of tokens are, an answer that is not known to gain beside its
 *    row may have gained by its draw: the default gets the row itself.
 * 4. Again from 2, since each new row takes sizes from its neighbours.
 * 5. Rows of step 3 between neighbours of the same configuration go. */
#include "reports/tables/reader_proof.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/exporter.h"
#include "reports/tables/reader_result.h"

enum {
	/* Largest size for which defaults are looked at: 16 times the ladder's last; heuristics of
	 * the libraries have no step beyond it. */
	LAST_SIZE = 65536,
	/* Largest size for which answers are proved, 4 times the ladder's last: vLLM and SGLang cut
	 * larger batches into such parts, or serve none. */
	LAST_PROVED = 16384,
	MAX_DEFAULTS = 256
};

struct proof {
	struct reader_set *set;
	struct reader_file *f;
	size_t file; /* its number */
	const struct export_request *r;
	/* Configuration that the library takes without the file: defaults[of[size]]. */
	struct reader_config *defaults;
	size_t n_defaults;
	uint8_t *of;
	struct reader_table table; /* the file's rows as they are now */
};

/* ---- what is taken without the file ---- */

/* The file's problem at another size; `sizes` has room for all of them. */
static struct reader_problem problem_at(const struct reader_file *f, int64_t size,
					struct rule_size sizes[RULE_MAX_SIZES])
{
	struct reader_problem p = f->problem;

	memcpy(sizes, p.sizes, p.n_sizes * sizeof *sizes);
	for (size_t i = 0; i < p.n_sizes; i++)
		if (strcmp(sizes[i].name, f->ops->row_size) == 0)
			sizes[i].low = sizes[i].high = size;
	p.sizes = sizes;
	return p;
}

/* Finds the defaults of all sizes. ASC_LIMIT for more different ones than a file of rows by size
 * can have a use for. */
static enum asc_status find_defaults(struct proof *x, struct asc_err *e)
{
	struct rule_size sizes[RULE_MAX_SIZES];

	x->defaults = calloc(MAX_DEFAULTS, sizeof *x->defaults);
	x->of = calloc(LAST_SIZE + 1, sizeof *x->of);
	if (!x->defaults || !x->of)
		return asc_err_nomem(e);
	for (int64_t size = 1; size <= LAST_SIZE; size++) {
		const struct reader_problem p = problem_at(x->f, size, sizes);
		struct reader_config own = {0};
		char key[32];
		size_t i = 0;

		(void)snprintf(key, sizeof key, "%" PRId64, size);
		(void)reader_find_rival(x->f, &p, key, &own);
		/* Neighbours mostly have the same. */
		if (size > 1 && reader_same_config(&x->defaults[x->of[size - 1]], &own))
			i = x->of[size - 1];
		while (i < x->n_defaults && !reader_same_config(&x->defaults[i], &own))
			i++;
		if (i == MAX_DEFAULTS)
			return asc_err_set(e, ASC_LIMIT,
					   "%s: more than %d different rows are taken without it",
					   x->f->name, MAX_DEFAULTS);
		if (i == x->n_defaults)
			x->defaults[x->n_defaults++] = own;
		x->of[size] = (uint8_t)i;
	}
	return ASC_OK;
}

static const struct reader_config *default_at(const struct proof *x, int64_t size)
{
	return &x->defaults[x->of[size < LAST_SIZE ? size : LAST_SIZE]];
}

/* ---- rows ---- */

/* Reads the rows again, after one was added. */
static enum asc_status read_rows(struct proof *x, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	reader_table_fini(&x->table);
	for (size_t i = 0; i < x->f->n && status == ASC_OK; i++)
		status = reader_table_add(&x->table, x->f->lines[i].key, &x->f->lines[i].config, e);
	return status;
}

/* Adds a row that holds the default at a size, unless there is a row. */
static enum asc_status pin(struct proof *x, int64_t size, bool added, const char *why,
			   struct asc_err *e)
{
	struct reader_file *f = x->f;
	const struct reader_line line = {.key = reader_keep_text(x->r->table, e, "%" PRId64, size),
					 .config = *default_at(x, size),
					 .result = SIZE_MAX,
					 .pinned = true,
					 .added = added,
					 .why = why};
	size_t at = 0;

	if (!line.key || !line.why)
		return e->status;
	while (at < f->n && reader_line_size(&f->lines[at]) < size)
		at++;
	if (at < f->n && reader_line_size(&f->lines[at]) == size)
		return ASC_OK;
	return reader_file_add(f, at, &line, e) ? e->status : read_rows(x, e);
}

/* Gives the default the row of a size, or one beside the others. */
static enum asc_status put_default(struct proof *x, int64_t size, const char *why,
				   struct asc_err *e)
{
	for (struct reader_line *l = x->f->lines; l < x->f->lines + x->f->n; l++) {
		if (reader_line_size(l) != size)
			continue;
		l->config = *default_at(x, size);
		l->ns = 0;
		l->pinned = true;
		l->why = why;
		return read_rows(x, e);
	}
	return pin(x, size, true, why, e);
}

static bool holds_default(const struct proof *x, size_t row)
{
	return reader_same_config(&x->f->lines[row].config,
				  default_at(x, reader_line_size(&x->f->lines[row])));
}

static bool is_served_by(const struct proof *x, int64_t size, size_t row)
{
	char key[32];

	(void)snprintf(key, sizeof key, "%" PRId64, size);
	return x->f->ops->find(&x->table, key) == row;
}

/* Last size from the row's own on, in steps of +1 or -1, that it serves, at most `end`: between two
 * rows there is one size at which the answer changes. */
static int64_t find_end(const struct proof *x, size_t row, int64_t end)
{
	int64_t inside = reader_line_size(&x->f->lines[row]),
		outside = end + (end > inside ? 1 : -1);

	if (is_served_by(x, end, row))
		return end;
	while (llabs(outside - inside) > 1) {
		const int64_t middle = inside + (outside - inside) / 2;

		*(is_served_by(x, middle, row) ? &inside : &outside) = middle;
	}
	return inside;
}

/* The sizes that a row serves, up to LAST_SIZE, which its own is not beyond. */
static void find_range(const struct proof *x, size_t row, int64_t *low, int64_t *high)
{
	*low = find_end(x, row, row > 0 ? reader_line_size(&x->f->lines[row - 1]) + 1 : 1);
	const int64_t next =
		row + 1 < x->f->n ? reader_line_size(&x->f->lines[row + 1]) - 1 : LAST_SIZE;

	*high = find_end(x, row, next < LAST_SIZE ? next : LAST_SIZE);
}

/* ---- step 2 ---- */

/* Finds a size that a row of another default serves, the nearest to that row; 0: there is none. */
static int64_t find_missing(const struct proof *x)
{
	for (size_t row = 0; row < x->f->n; row++) {
		const int64_t own = reader_line_size(&x->f->lines[row]);
		int64_t low, high;

		if (own > LAST_SIZE || !holds_default(x, row))
			continue;
		find_range(x, row, &low, &high);
		for (int64_t size = own; size <= high; size++)
			if (x->of[size] != x->of[own])
				return size;
		for (int64_t size = own; size >= low; size--)
			if (x->of[size] != x->of[own])
				return size;
	}
	return 0;
}

/* ---- step 3 ---- */

/* The result whose row is nearest to a size: its problem lends the other sizes. */
static const struct reader_line *find_nearest(const struct proof *x, int64_t size)
{
	const struct reader_line *nearest = NULL;

	for (const struct reader_line *l = x->f->lines; l < x->f->lines + x->f->n; l++)
		if (l->result != SIZE_MAX &&
		    (!nearest ||
		     llabs(reader_line_size(l) - size) < llabs(reader_line_size(nearest) - size)))
			nearest = l;
	return nearest; /* a file without a result is idle, and not proved */
}

/* Proves the answer of a row at a size; where it loses, *at is the size of the row to be added and
 * *why its reason. */
static enum asc_status prove(const struct proof *x, size_t row, int64_t size, int64_t *at,
			     const char **why, struct asc_err *e)
{
	const struct reader_line *line = &x->f->lines[row];
	const int64_t own = reader_line_size(line), distance = llabs(size - own);
	const struct reader_line *lends = find_nearest(x, size);
	const struct reader_config *rival = default_at(x, size);
	const struct reader_need need = {.file = x->file, .row = lends->result, .size = size};
	char key[32];
	const struct reader_question q = {.file = x->f->name,
					  .key = key,
					  .layer = lends->layer,
					  .of = &x->r->table->rows[lends->result].result,
					  .table = x->r->table,
					  .answer = &line->config,
					  .rival = rival};
	struct reader_verdict v;

	if (distance == 0 || reader_same_config(&line->config, rival))
		return ASC_OK;
	(void)snprintf(key, sizeof key, "%" PRId64, size);
	if (reader_verdict_find(&x->set->verdicts, &q, &v, e))
		return e->status;
	if (v.outcome == READER_UNMEASURED &&
	    reader_need_add(x->set, x->r->table, &need, &line->config, rival, e))
		return e->status;
	/* A tie gains nothing, and may lose at a size beside this one. */
	if (v.outcome == READER_GAINS ||
	    (v.outcome == READER_UNMEASURED && x->r->proof == EXPORT_ASKING))
		return ASC_OK;
	/* Near its own row it has lost too much for another half-way measurement. */
	const bool near = distance * 4 <= own || distance < 4;

	if (near && x->f->ops->drawn)
		*at = own;
	else
		*at = near ? own + (size > own ? 1 : -1) : size;
	if (v.outcome == READER_UNMEASURED)
		*why = reader_keep_text(x->r->table, e,
					"the row of %s was not measured at %" PRId64, line->key,
					size);
	else if (v.part > 0)
		*why = reader_keep_text(x->r->table, e,
					"the row of %s takes %.3f of the time of %s at %" PRId64,
					line->key, v.part, reader_rival_name(x->f), size);
	else
		*why = reader_keep_text(x->r->table, e, "the row of %s, or %s, failed at %" PRId64,
					line->key, reader_rival_name(x->f), size);
	return *why ? ASC_OK : e->status;
}

/* Finds the first answer that loses; *at 0: there is none. */
static enum asc_status find_loser(const struct proof *x, int64_t *at, const char **why,
				  struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	*at = 0;
	for (size_t row = 0; row < x->f->n && status == ASC_OK && *at == 0; row++) {
		int64_t low, high;

		const int64_t own = reader_line_size(&x->f->lines[row]);

		if (own > LAST_SIZE || holds_default(x, row))
			continue;
		find_range(x, row, &low, &high);
		status = prove(x, row, low, at, why, e);
		/* One more token than the row's is one more block, mostly an empty one. */
		if (status == ASC_OK && *at == 0 && own < high)
			status = prove(x, row, own + 1, at, why, e);
		if (status == ASC_OK && *at == 0)
			status = prove(x, row, low + (own - low) / 2, at, why, e);
		if (status == ASC_OK && *at == 0)
			status = prove(x, row, own + (high - own) / 2, at, why, e);
		for (int64_t size = low + 1; size <= high && status == ASC_OK && *at == 0; size++) {
			if (x->of[size] == x->of[size - 1])
				continue;
			status = prove(x, row, size - 1, at, why, e);
			if (status == ASC_OK && *at == 0)
				status = prove(x, row, size, at, why, e);
		}
		if (status == ASC_OK && *at == 0)
			status = prove(x, row, high, at, why, e);
	}
	return status;
}

/* ---- step 5 ---- */

static void drop_idle(struct reader_file *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct reader_line *l = &f->lines[i];

		if (!l->added ||
		    (i > 0 && !reader_same_config(&f->lines[i - 1].config, &l->config)) ||
		    (i + 1 < f->n && !reader_same_config(&f->lines[i + 1].config, &l->config)))
			continue;
		memmove(f->lines + i, f->lines + i + 1, (f->n - i - 1) * sizeof *f->lines);
		f->n--;
		i--;
	}
}

/* ---- all of it ---- */

/* Adds the rows beyond which nothing is proved: behind the largest size, and on both sides of a
 * result of a larger one, which serves that alone. */
static enum asc_status bound_proof(struct proof *x, struct asc_err *e)
{
	static const char why[] = "larger sizes are not measured";
	enum asc_status status = pin(x, LAST_PROVED + 1, true, why, e);

	for (size_t i = 0; i < x->f->n && status == ASC_OK; i++) {
		const int64_t own = reader_line_size(&x->f->lines[i]);

		if (own <= LAST_PROVED || x->f->lines[i].pinned)
			continue;
		status = pin(x, own - 1, true, why, e);
		if (status == ASC_OK)
			status = pin(x, own + 1, true, why, e);
		i += 1; /* the row before is new */
	}
	return status;
}

enum asc_status reader_proof_complete(struct reader_set *s, size_t file,
				      const struct export_request *r, struct asc_err *e)
{
	struct proof x = {.set = s, .f = &s->files[file], .file = file, .r = r};
	const struct reader_ops *ops = x.f->ops;
	struct reader_config own;
	const char *why = NULL;
	int64_t at = 1;

	if (!ops->row_size || !reader_find_rival(x.f, &x.f->problem, "1", &own))
		return ASC_OK;
	enum asc_status status = find_defaults(&x, e);

	for (const int64_t *size = ops->ladder; *size && status == ASC_OK; size++)
		status = pin(&x, *size, false, "no result", e);
	if (status == ASC_OK && r->proof != EXPORT_UNPROVED)
		status = bound_proof(&x, e);
	if (status == ASC_OK)
		status = read_rows(&x, e);
	while (status == ASC_OK && at > 0) {
		at = find_missing(&x);
		if (at > 0) {
			status = pin(&x, at, false,
				     "no result; what is taken without the file changes here", e);
			continue;
		}
		if (r->proof != EXPORT_UNPROVED)
			status = find_loser(&x, &at, &why, e);
		if (status == ASC_OK && at > 0)
			status = put_default(&x, at, why, e);
	}
	if (status == ASC_OK)
		drop_idle(x.f);
	reader_table_fini(&x.table);
	free(x.defaults);
	free(x.of);
	return status;
}
