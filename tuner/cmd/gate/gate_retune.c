/* A short search of the kernels that changed, in the head: the best configuration of what was need
 * not be that of what is.
 *
 * 1. search(): the loop of `asctune run`, which begins with the configuration that was measured and
 *    with earlier results of the database. It is recorded in a scratch database: a change that
 *    nobody has merged is no record.
 * 2. What it finds is measured as the old configuration was, beside the base's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/process/guard.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/workload.h"

/* Time of a search: less has no room for more than the first trial, more is no short one. */
static const int64_t LEAST_NS = INT64_C(3000000000), MOST_NS = INT64_C(30000000000);

/* Results in a row without a gain that end a search: a source that never builds takes no longer. */
enum { PATIENCE = 50 };

struct retune {
	struct gate *gate;
	struct db *db;    /* scratch */
	struct db *known; /* results on record; NULL: none */
	/* Kernels for which a search has found another configuration, and copies of them that have
	 * it in the head. */
	struct gate_kernel **of, *copies;
	size_t n;
};

/* True for a kernel of which both sides were measured, or the head fails with its configuration
 * while the base does not. */
static bool is_changed(const struct gate_kernel *k)
{
	const bool measured = k->found && k->found->n > 0;

	return k->sides[GATE_BASE].config && k->sides[GATE_HEAD].config &&
	       !k->sides[GATE_BASE].failed && !k->equal && k->before != GATE_KEPT &&
	       k->reached != GATE_UNVERIFIED && (measured || k->verdict == GATE_BROKEN);
}

/* Appends the NAME=VALUE of a configuration that another one does not have. */
static void print_changed(const char *config, const char *other, struct buf *out)
{
	const char *between = "";

	for (size_t n; *config; config += n + (config[n] == ',')) {
		const char *at = other;

		n = strcspn(config, ",");
		while (*at && !(strncmp(at, config, n) == 0 && (at[n] == ',' || !at[n]))) {
			at += strcspn(at, ",");
			at += *at == ',';
		}
		if (*at)
			continue;
		buf_print(out, "%s%.*s", between, (int)n, config);
		between = ",";
	}
}

/* Adds what a search has found, where that is another configuration than the one that was
 * measured. */
static enum asc_status add_found(struct retune *r, struct gate_kernel *k, const char *config,
				 struct asc_err *e)
{
	struct gate_kernel *copy = &r->copies[r->n];
	struct buf changed = {0};

	print_changed(config, k->sides[GATE_HEAD].config, &changed);
	const bool other = changed.len > 0;
	const enum asc_status status = buf_check(&changed, e);

	buf_fini(&changed);
	if (status || !other)
		return status;
	*copy = *k;
	copy->found = NULL;
	for (size_t t = 0; t < GATE_TREES; t++)
		copy->sides[t].result = NULL;
	copy->sides[GATE_HEAD].config = str_dup(config);
	*copy->sides[GATE_HEAD].reason = *copy->sides[GATE_BASE].reason = '\0';
	if (!copy->sides[GATE_HEAD].config)
		return asc_err_nomem(e);
	r->of[r->n++] = k;
	return ASC_OK;
}

static enum asc_status search(struct retune *r, struct gate_kernel *k, int64_t budget_ns,
			      struct asc_err *e)
{
	struct gate *g = r->gate;
	const struct gate_side *head = &k->sides[GATE_HEAD];
	const struct loop_given measured = {k->implementation, head->config};
	const struct loop_options lo = {.workload = head->workload,
					.problem =
						workload_find_problem(head->workload, k->problem),
					.implementation = k->implementation,
					.session = &g->on->session,
					.budget = {.ns = budget_ns},
					.patience = {.trials = PATIENCE},
					.seed = 1,
					.first = &measured,
					.n_first = 1,
					.known = r->known,
					.version = ASCTUNE_VERSION,
					.history = true,
					.quiet = true,
					.noted = &g->noted,
					.stop = g->stop};
	struct loop_summary sum;
	struct loop *l;

	loop_summary_init(&sum);
	enum asc_status status = loop_open(&lo, &sum, &l, e);

	if (status == ASC_OK)
		status = loop_go(l, r->db, e);
	loop_close(l);
	if (status == ASC_OK && !*g->stop && sum.best.found)
		status = add_found(r, k, buf_str(&sum.best.config), e);
	loop_summary_fini(&sum);
	return status;
}

/* ---- all of them ---- */

/* Budget of the next of n searches, which end together at `until_ns`, 0: at no time. 0: what is
 * left is too little. */
static int64_t find_budget(int64_t until_ns, size_t n)
{
	const int64_t left_ns = until_ns ? until_ns - clock_now_ns() : INT64_MAX;
	const int64_t part_ns = left_ns / (int64_t)n;

	if (left_ns < LEAST_NS)
		return 0;
	return part_ns < LEAST_NS ? LEAST_NS : part_ns < MOST_NS ? part_ns : MOST_NS;
}

/* Searches the kernels in two thirds of the time that is left: what is found has to be measured.
 * One that cannot be searched is said, and no failure. */
static enum asc_status search_all(struct retune *r, struct gate_kernel *const *list, size_t n,
				  struct asc_err *e)
{
	struct gate *g = r->gate;
	const int64_t now = clock_now_ns();
	const int64_t until_ns = g->until_ns ? now + (g->until_ns - now) / 3 * 2 : 0;

	for (size_t i = 0; i < n && !*g->stop; i++) {
		struct gate_kernel *k = list[i];
		const int64_t budget_ns = find_budget(until_ns, n - i);

		if (budget_ns == 0) {
			log_print(LOG_WARN, "the budget ended before a search of %s/%s %s%s",
				  k->workload, k->problem, k->implementation,
				  i + 1 < n ? " and others" : "");
			return ASC_OK;
		}
		const enum asc_status status = search(r, k, budget_ns, e);

		gate_progress_step(g);
		g->searched += status == ASC_OK;
		if (status == ASC_OK)
			continue;
		if (asc_status_is_machine(e->status))
			return e->status;
		log_print(LOG_WARN, "no search of %s/%s %s: %s", k->workload, k->problem,
			  k->implementation, e->text);
	}
	return ASC_OK;
}

/* Keeps what was found where it is better than the configuration that was measured. */
static enum asc_status keep(struct gate_kernel *k, const struct gate_kernel *copy,
			    struct asc_err *e)
{
	struct buf changed = {0};

	if (!copy->found || copy->found->n == 0 ||
	    (k->verdict != GATE_BROKEN && copy->ratio.high >= k->ratio.ratio))
		return ASC_OK;
	print_changed(copy->sides[GATE_HEAD].config, k->sides[GATE_HEAD].config, &changed);
	k->retuned = calloc(1, sizeof *k->retuned);
	if (k->retuned)
		*k->retuned =
			(struct gate_retuned){.config = str_dup(copy->sides[GATE_HEAD].config),
					      .changed = buf_take(&changed),
					      .ratio = copy->ratio,
					      .verdict = copy->verdict};
	buf_fini(&changed);
	return k->retuned && k->retuned->config && k->retuned->changed ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status measure_found(struct retune *r, struct asc_err *e)
{
	struct gate_kernel **list = calloc(r->n + 1, sizeof(struct gate_kernel *));
	enum asc_status status = list ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; list && i < r->n; i++)
		list[i] = &r->copies[i];
	if (status == ASC_OK && r->n > 0)
		status = gate_measure_these(r->gate, list, r->n, false, e);
	for (size_t i = 0; status == ASC_OK && !*r->gate->stop && i < r->n; i++)
		status = keep(r->of[i], list[i], e);
	free(list);
	return status;
}

/* Opens the scratch database, and that of results where there is one. */
static enum asc_status open_both(struct retune *r, const char *folder, struct asc_err *e)
{
	const char *path = command_db_path(r->gate->options->db);
	char *scratch = path_join(folder, "retune.db");
	enum asc_status status = scratch ? db_open(scratch, DB_WRITE, &r->db, e) : asc_err_nomem(e);

	if (status == ASC_OK && gate_may_read(r->gate) && file_exists(path))
		status = db_open(path, DB_READ, &r->known, e);
	free(scratch);
	return status;
}

enum asc_status gate_retune(struct gate *g, struct asc_err *e)
{
	struct gate_kernel **list = calloc(g->n + 1, sizeof(struct gate_kernel *));
	struct retune r = {.gate = g,
			   .of = calloc(g->n + 1, sizeof(struct gate_kernel *)),
			   .copies = calloc(g->n + 1, sizeof *r.copies)};
	char *folder = NULL;
	enum asc_status status = list && r.of && r.copies ? ASC_OK : asc_err_nomem(e);
	size_t n = 0;

	for (size_t i = 0; status == ASC_OK && i < g->n; i++)
		if (is_changed(&g->list[i]))
			list[n++] = &g->list[i];
	if (n > 0) {
		gate_sort_by_importance(list, n);
		status = guard_make_scratch("asctune-retune", &folder, e);
		if (status == ASC_OK)
			status = open_both(&r, folder, e);
		gate_progress_begin(g, "searching", n);
		if (status == ASC_OK)
			status = search_all(&r, list, n, e);
		gate_progress_end(g);
		if (status == ASC_OK && !*g->stop)
			status = measure_found(&r, e);
	}
	for (size_t i = 0; i < r.n; i++) {
		free(r.copies[i].sides[GATE_HEAD].config);
		for (size_t t = 0; t < GATE_TREES; t++) /* none is for the database */
			gate_side_forget(&r.copies[i].sides[t]);
		free(r.copies[i].found);
	}
	db_close(r.known);
	db_close(r.db);
	dir_remove(folder);
	free(folder);
	free(r.copies);
	free(r.of);
	free(list);
	return status;
}
