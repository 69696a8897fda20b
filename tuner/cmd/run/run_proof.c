/* Proves a table:
 *
 * 1. The table is made as it would be if every answer held (reader_set.h); with it come the answers
 *    that no rounds have compared with their rivals.
 * 2. Each of these is measured: on the result's own problem, or on one of another size, which is
 *    added to the workload and has the rival as its default.
 * 3. Again from 1, since an answer that loses gives rows that change the answers around it, until
 *    nothing is left to be measured, or time is up.
 * 4. What an export would write now is told. */
#include "tuner/cmd/run/run_proof.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/exchange/reader_ask.h"
#include "reports/tables/dispatch.h"
#include "reports/tables/exporter.h"
#include "reports/tables/reader_asked.h"
#include "reports/tables/reader_set.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/problem_sizes.h"
#include "tuner/cmd/run/run_given.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/target.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/tune/loop_options.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/workload.h"

struct tried { /* a question that was measured: a second attempt would end like the first */
	char *file, *answer, *rival;
	size_t row;
	int64_t size;
};

struct proving {
	const struct run_given *on;
	const char *library;
	struct dispatch table;
	struct reader_set set;
	struct tried *tried;
	size_t n_tried, room;
	int64_t began_ns;
};

enum asc_status run_proof_check(const char *reader, const struct workload *w, const char **library,
				struct asc_err *e)
{
	const struct reader_ops *found = reader_find(reader);
	const bool one = found != NULL; /* else the name may be a library's, for all its readers */
	struct library_names own = {0};
	struct buf names = {0};

	for (const struct reader_ops *const *r = reader_list; *r; r++) {
		if (!found && strcmp((*r)->library, reader) == 0)
			found = *r;
		buf_print(&names, "%s%s", names.len ? ", " : "", (*r)->name);
	}
	*library = found ? found->library : NULL;
	const struct json_node *n = found ? json_find(w->exports, *library) : NULL;
	enum asc_status status = ASC_OK;

	if (!found)
		status = asc_err_set(e, ASC_USAGE, "--table: \"%.60s\" is no reader; there are: %s",
				     reader, buf_str(&names));
	else if (!n)
		status = asc_err_set(e, ASC_USAGE,
				     "--table %s: the \"export\" of %s does not name its operator "
				     "there: {\"%s\": {\"operator\": \"NAME\"}}",
				     reader, w->name, *library);
	else if (library_names_read(n, &own, e))
		status = e->status;
	else if (one && found->op && strcmp(found->op, own.op) != 0)
		status = asc_err_set(e, ASC_USAGE, "--table %s: the operator of %s there is %s",
				     reader, w->name, own.op);
	buf_fini(&names);
	return status;
}

/* ---- step 1 ---- */

/* A reader_shared_fn for problems. */
static void say_shared(const void *user, const char *a, const char *b, const char *key,
		       const char *file)
{
	const struct run_given *on = user;

	if (!on->options->cover_text)
		log_print(LOG_WARN,
			  "--table: %s and %s are both the row %s of %s, which can be made if one "
			  "configuration is the best of both: --problem NAME takes one of them, "
			  "--cover PCT%% chooses a configuration that serves both",
			  a, b, key, file);
}

/* Warns of the first two implementations that cover a problem. *said: done. */
static enum asc_status say_implementations(const struct run_given *on, const struct problem *p,
					   bool *said, struct asc_err *e)
{
	const struct target *t = &on->on->target;
	const struct workload *w = on->workload;
	const char *first = NULL, *only = on->options->implementation;
	struct binding b = {0};
	char reason[256];
	enum asc_status status = binding_init(&b, w, p, t->ops->name, &t->info.facts, e);

	b.limits = target_limits(t);
	for (size_t i = 0; i < w->n_implementations && status == ASC_OK && !*said; i++) {
		const char *name = w->implementations[i].name;
		bool covers = false;

		if (only && strcmp(name, only) != 0)
			continue;
		status = binding_covers(&b, &w->implementations[i], &covers, reason, sizeof reason,
					e);
		*said = covers && first;
		if (*said)
			log_print(LOG_WARN,
				  "--table: %s and %s both cover %s, and are one row of a table, "
				  "which can be made if they have the same configuration: "
				  "--impl NAME takes one",
				  first, name, p->name);
		first = covers ? name : first;
	}
	binding_fini(&b);
	return status;
}

enum asc_status run_proof_check_problems(const struct run_given *on, const char *library,
					 struct asc_err *e)
{
	const struct workload *w = on->workload;
	const struct target *t = &on->on->target;
	const struct problem **list = calloc(w->n_problems + 1, sizeof(const struct problem *));
	enum asc_status status = list ? ASC_OK : asc_err_nomem(e);
	size_t n = 0;
	bool said = false;

	for (size_t i = 0; i < w->n_problems && list; i++)
		if (target_wants(t, &w->problems[i], on->problems))
			list[n++] = &w->problems[i];
	if (status == ASC_OK && reader_asked_check(json_find(w->exports, library), list, n,
						   t->info.model, say_shared, on, e))
		status = asc_err_wrap(e, "--table %s", library);
	for (size_t i = 0; i < n && status == ASC_OK; i++)
		status = say_implementations(on, list[i], &said, e);
	free(list);
	return status;
}

bool run_proof_is_foreign(const struct workload *w)
{
	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls; k++)
			if (w->implementations[i].calls[k].builder &&
			    strcmp(w->implementations[i].calls[k].builder, "triton") == 0)
				return false;
	return true;
}

static enum asc_status make_table(struct proving *x, enum export_proof proof, struct asc_err *e)
{
	const struct run_given *on = x->on;
	const struct export_request r = {
		.table = &x->table,
		.terms = {.foreign_kernels = run_proof_is_foreign(on->workload)},
		.ask = reader_ask,
		.db = on->db,
		.proof = proof};

	reader_set_fini(&x->set);
	if (run_given_read(on, &x->table, e))
		return e->status;
	if (on->options->cover_text && dispatch_cover(&x->table, on->db, on->options->cover, e))
		return e->status;
	/* Nothing to export is no failure of the run. */
	if (reader_set_make(&x->set, &r, x->library, e) && e->status != ASC_NOTFOUND)
		return e->status;
	return ASC_OK;
}

/* ---- step 2 ---- */

static bool is_same(const struct proving *x, const struct tried *t, const struct reader_need *n)
{
	return t->size == n->size && (n->size > 0 || t->row == n->row) &&
	       strcmp(t->file, x->set.files[n->file].name) == 0 &&
	       strcmp(t->answer, n->answer) == 0 && strcmp(t->rival, n->rival) == 0;
}

static bool is_tried(const struct proving *x, const struct reader_need *n)
{
	for (const struct tried *t = x->tried; t < x->tried + x->n_tried; t++)
		if (is_same(x, t, n))
			return true;
	return false;
}

/* True for a question that was asked in vain: one of its configurations is in no space. */
static bool is_open(const struct proving *x, const struct tried *t)
{
	for (size_t i = 0; i < x->set.n_needs; i++)
		if (is_same(x, t, &x->set.needs[i]))
			return true;
	return false;
}

static enum asc_status add_tried(struct proving *x, const struct reader_need *n, struct asc_err *e)
{
	if (!array_room(&x->tried, x->n_tried, &x->room, sizeof *x->tried))
		return asc_err_nomem(e);
	struct tried *t = &x->tried[x->n_tried++];

	*t = (struct tried){str_dup(x->set.files[n->file].name), str_dup(n->answer),
			    str_dup(n->rival), n->row, n->size};
	return t->file && t->answer && t->rival ? ASC_OK : asc_err_nomem(e);
}

/* Measures the two configurations of a need, of whichever implementation covers the problem. */
static enum asc_status measure(struct proving *x, const struct reader_need *n, size_t number,
			       size_t all, struct asc_err *e)
{
	struct workload *w = x->on->workload;
	const char *name = x->table.rows[n->row].result.problem;
	const struct problem *p = workload_find_problem(w, name);
	struct loop_given *given = calloc(2 * w->n_implementations, sizeof *given);
	size_t n_given = 0;

	if (!given)
		return asc_err_nomem(e);
	for (size_t i = 0; i < w->n_implementations; i++) {
		given[n_given++] = (struct loop_given){w->implementations[i].name, n->answer};
		given[n_given++] = (struct loop_given){w->implementations[i].name, n->rival};
	}
	enum asc_status status = add_tried(x, n, e);

	if (status == ASC_OK && n->dimension) {
		status = problem_sizes_add(w, p, n->dimension, n->size, &p, e);
		/* A size that the workload refuses stays unproved. */
		if (status == ASC_INPUT) {
			log_print(LOG_NOTE, "%s, for the table: %s", w->name, e->text);
			free(given);
			return ASC_OK;
		}
		if (status == ASC_OK)
			status = workload_set_default(w, p->name, n->rival, e);
		if (status == ASC_OK)
			p = workload_find_problem(w, p->name);
	}
	if (status == ASC_OK)
		status = run_given_measure(x->on, p, given, n_given, number, all, e);
	free(given);
	return status;
}

/* ---- step 4 ---- */

struct counts { /* rows of a file */
	size_t results, added, others, open;
};

static struct counts count_rows(const struct proving *x, size_t file)
{
	const struct reader_file *f = &x->set.files[file];
	struct counts c = {0};

	for (size_t i = 0; i < f->n; i++) {
		c.results += !f->lines[i].pinned;
		c.added += f->lines[i].added;
		c.others += f->lines[i].pinned && !f->lines[i].added;
	}
	for (size_t i = 0; i < x->set.n_needs; i++)
		c.open += x->set.needs[i].file == file;
	return c;
}

static void print_file(const struct proving *x, size_t file, size_t measured)
{
	const struct reader_file *f = &x->set.files[file];
	const struct counts c = count_rows(x, file);
	struct prose p;

	putchar('\n');
	prose_open(&p, stdout);
	prose_put(&p, INK_STRONG, "%s", f->name);
	prose_put(&p, INK_PLAIN,
		  f->idle ? ": no result is faster than what %s takes without it"
			  : ", a table for %s",
		  x->library);
	prose_end(&p, 2);
	if (!f->idle) {
		prose_put(&p, INK_PLAIN,
			  "  rows     %zu of results; %zu of what %s takes without the table, of "
			  "which %zu stand where a result is not faster between the rows",
			  c.results, c.others + c.added, x->library, c.added);
		prose_end(&p, 11);
	}
	prose_put(&p, INK_PLAIN, "  proof    %zu answer%s measured beside what %s takes", measured,
		  measured == 1 ? "" : "s", x->library);
	if (c.open > 0)
		prose_put(&p, INK_WARN,
			  "; %zu more not measured: the table leaves these to the library's own",
			  c.open);
	prose_end(&p, 11);
	prose_close(&p);
}

static enum asc_status print_json(const struct proving *x, size_t file, size_t measured,
				  struct asc_err *e)
{
	const struct reader_file *f = &x->set.files[file];
	const struct counts c = count_rows(x, file);
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "table");
	json_write_string(&w, "workload", x->on->workload->name);
	json_write_string(&w, "reader", f->ops->name);
	json_write_string(&w, "file", f->name);
	json_write_int(&w, "measured", (int64_t)measured);
	json_write_int(&w, "results", (int64_t)c.results);
	json_write_int(&w, "defaults", (int64_t)(c.others + c.added));
	json_write_int(&w, "added", (int64_t)c.added);
	json_write_int(&w, "unproved", (int64_t)c.open);
	json_write_real(&w, "seconds", 1e-9 * (double)(clock_now_ns() - x->began_ns));
	json_write_begin(&w, "rows", '[');
	for (size_t i = 0; i < f->n; i++) {
		const struct reader_line *l = &f->lines[i];

		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "row", l->key ? l->key : "default");
		json_write_begin(&w, "config", '{');
		for (size_t k = 0; k < l->config.n; k++)
			json_write_value(&w, l->config.list[k].name, l->config.list[k].value);
		json_write_end(&w, '}');
		json_write_bool(&w, "default", l->pinned);
		json_write_string(&w, "reason", l->why);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}

static enum asc_status print_files(const struct proving *x, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	if (x->set.n == 0)
		log_print(LOG_NOTE,
			  "%s: no result makes a row of a table of %s; `asctune export "
			  "%s --explain` has the reasons",
			  x->on->workload->name, x->library, x->library);
	for (size_t i = 0; i < x->set.n && status == ASC_OK; i++) {
		size_t measured = 0;

		for (const struct tried *q = x->tried; q < x->tried + x->n_tried; q++)
			measured += strcmp(q->file, x->set.files[i].name) == 0 && !is_open(x, q);
		if (x->on->options->json)
			status = print_json(x, i, measured, e);
		else
			print_file(x, i, measured);
	}
	fflush(stdout);
	return status;
}

/* ---- all of it ---- */

enum asc_status run_proof(const struct run_given *on, const char *library, struct asc_err *e)
{
	struct proving x = {.on = on, .library = library, .began_ns = clock_now_ns()};
	enum asc_status status = ASC_OK;
	size_t before = SIZE_MAX;

	while (status == ASC_OK && before != x.n_tried && !run_given_is_over(on)) {
		before = x.n_tried;
		status = make_table(&x, EXPORT_ASKING, e);
		for (size_t i = 0; i < x.set.n_needs && status == ASC_OK && !run_given_is_over(on);
		     i++)
			if (!is_tried(&x, &x.set.needs[i]))
				status = measure(&x, &x.set.needs[i], i + 1, x.set.n_needs, e);
	}
	if (status == ASC_OK && !*on->stop)
		status = make_table(&x, EXPORT_PROVED, e);
	if (status == ASC_OK && !*on->stop)
		status = print_files(&x, e);
	for (struct tried *t = x.tried; t < x.tried + x.n_tried; t++) {
		free(t->file);
		free(t->answer);
		free(t->rival);
	}
	free(x.tried);
	reader_set_fini(&x.set);
	dispatch_fini(&x.table);
	return status;
}
