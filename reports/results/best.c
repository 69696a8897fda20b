#include "reports/results/best.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "db/answer_rows.h"
#include "db/db.h"
#include "db/load.h"
#include "reports/results/answers.h"
#include "reports/results/snapshot.h"
#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/result/roofline.h"

#define FIELD(name, kind, member)                                                                  \
	{                                                                                          \
		name, offsetof(struct best_row, member), DB_FIELD_##kind, false, false             \
	}
#define DERIVED(name, kind, member)                                                                \
	{                                                                                          \
		name, offsetof(struct best_row, member), DB_FIELD_##kind, true, false              \
	}

/* Derived ones last. */
const struct db_field best_fields[] = {
	FIELD("workload", TEXT, workload),
	FIELD("operator", TEXT, operator_name),
	FIELD("problem", TEXT, problem),
	FIELD("problem_values", JSON, dims_json),
	FIELD("device_kind", TEXT, device_kind),
	FIELD("device_model", TEXT, device_model),
	FIELD("device_arch", TEXT, device_arch),
	FIELD("device_fingerprint", TEXT, device_fingerprint),
	FIELD("device_driver", TEXT, device_driver),
	FIELD("older", INT, older),
	FIELD("clock", TEXT, clock),
	FIELD("cache_policy", TEXT, cache_policy),
	FIELD("implementation", TEXT, implementation),
	FIELD("implementation_index", INT, implementation_index),
	FIELD("config", JSON, config_json),
	FIELD("config_key", TEXT, config_key),
	FIELD("rewrites", JSON, rewrites_json),
	FIELD("median_ns", REAL, median_ns),
	FIELD("q1_ns", REAL, q1_ns),
	FIELD("q3_ns", REAL, q3_ns),
	FIELD("min_ns", REAL, min_ns),
	FIELD("max_ns", REAL, max_ns),
	FIELD("low_ns", REAL, low_ns),
	FIELD("high_ns", REAL, high_ns),
	FIELD("n_samples", INT, n_samples),
	FIELD("clock_mhz", AMOUNT, clock_mhz),
	FIELD("ties", JSON, ties_json),
	FIELD("sure", TEXT, sure),
	FIELD("noise_pct", AMOUNT, noise_pct),
	FIELD("n_ties", INT, n_ties),
	FIELD("default_ns", AMOUNT, default_ns),
	FIELD("default_key", TEXT, default_key),
	FIELD("vs_default", AMOUNT, vs_default),
	FIELD("baseline", TEXT, baseline),
	FIELD("baseline_ns", AMOUNT, baseline_ns),
	FIELD("vs_baseline", AMOUNT, vs_baseline),
	FIELD("flops", AMOUNT, flops),
	FIELD("bytes", AMOUNT, bytes),
	FIELD("max_abs_error", REAL, max_abs_error),
	FIELD("metrics", JSON, metrics_json),
	FIELD("trials", INT, trials),
	FIELD("ok_trials", INT, ok_trials),
	FIELD("run_id", INT, run_id),
	FIELD("trial_id", INT, trial_id),
	FIELD("recorded_at", TEXT, recorded_at),
	DERIVED("peak_flops", AMOUNT, peak_flops),
	DERIVED("peak_bandwidth", AMOUNT, peak_bandwidth),
	DERIVED("attainable_flops", AMOUNT, attainable_flops),
	DERIVED("attainable_part", AMOUNT, attainable_part),
	DERIVED("bound", TEXT, bound),
	DERIVED("attainable_note", TEXT, attainable_note),
	DERIVED("provenance", JSON, provenance_json),
	{0},
};

/* ---- which answers ---- */

enum origin { MEASURED, SIMULATED, OF_ANY_ORIGIN }; /* simulated: on a stand-in */
enum scope { OF_ALL, OF_EACH, OF_ANY_SCOPE };       /* implementations that an answer is of */

struct question {
	const char *workload; /* NULL: of all */
	enum origin origin;
	enum scope scope;
	bool failed;                /* what passed last counts, too */
	bool older;                 /* and what a newer run of the machine has superseded */
	const struct asked_run *as; /* only answers with its cache policy; NULL: with any */
};

struct pair {
	int64_t device_id, problem_id;
};

struct asked_run { /* subject of a run */
	struct pair pair;
	char *cache_policy; /* may be NULL */
	bool found;
};

struct kept { /* an answer that is asked for */
	struct answer_row row;
	const struct subject *of;
	const char *implementation;
	bool older;
};

struct kept_list { /* rows and texts are in the arena */
	struct arena arena;
	struct kept *list;
	size_t n, room;
};

static void kept_fini(struct kept_list *k)
{
	free(k->list);
	arena_fini(&k->arena);
}

static bool is_asked(const struct question *q, const char *cache_policy, int64_t simulated,
		     bool own)
{
	return (!q->as || str_is_same(cache_policy, q->as->cache_policy)) &&
	       (q->origin == OF_ANY_ORIGIN || simulated == (int64_t)q->origin) &&
	       (q->scope == OF_ANY_SCOPE || own == (q->scope == OF_EACH));
}

/* Copies a text; NULL stays NULL. False: out of memory. */
static bool keep_text(struct kept_list *k, const char *text, const char **out)
{
	*out = text ? arena_copy(&k->arena, text) : NULL;
	return *out || !text;
}

static const struct subject *keep_subject(struct kept_list *k, const struct subject *s)
{
	struct subject *to = arena_alloc(&k->arena, sizeof *to);

	if (!to)
		return NULL;
	*to = *s;
	return keep_text(k, s->workload, &to->workload) && keep_text(k, s->problem, &to->problem) &&
			       keep_text(k, s->problem_key, &to->problem_key) &&
			       keep_text(k, s->device_kind, &to->device_kind) &&
			       keep_text(k, s->device_model, &to->device_model) &&
			       keep_text(k, s->fingerprint, &to->fingerprint) &&
			       keep_text(k, s->machine, &to->machine)
		       ? to
		       : NULL;
}

/* Keeps an answer with copies of its texts; `of` is kept already. */
static enum asc_status keep(struct kept_list *k, const struct subject *of,
			    const struct answer_row *a, const char *implementation,
			    struct asc_err *e)
{
	if (!array_room(&k->list, k->n, &k->room, sizeof *k->list))
		return asc_err_nomem(e);
	struct kept *to = &k->list[k->n];

	*to = (struct kept){.row = *a, .of = of};
	if (!keep_text(k, a->cache_policy, &to->row.cache_policy) ||
	    !keep_text(k, a->sure, &to->row.sure) ||
	    !keep_text(k, a->ties_json, &to->row.ties_json) ||
	    !keep_text(k, a->default_key, &to->row.default_key) ||
	    !keep_text(k, a->baseline, &to->row.baseline) ||
	    !keep_text(k, implementation, &to->implementation))
		return asc_err_nomem(e);
	k->n++;
	return ASC_OK;
}

static struct answer_row row_of(const struct subject *of, const struct answer *a)
{
	return (struct answer_row){.device_id = of->device_id,
				   .problem_id = of->problem_id,
				   .cache_policy = a->cache_policy,
				   .simulated = a->simulated,
				   .own = a->own ? a->own->id : 0,
				   .implementation_id = a->trial->config->of->id,
				   .failed = a->failed,
				   .trial_id = a->trial->id,
				   .final_run_id = a->final_run ? a->final_run->id : 0,
				   .sure = sure_recorded_name(a->sure.sure),
				   .noise_pct = a->sure.noise_pct,
				   .n_ties = (int64_t)a->sure.ties,
				   .ties_json = buf_str(&a->ties),
				   .default_ns = a->default_ns,
				   .vs_default = a->vs_default,
				   .default_key = a->default_key,
				   .baseline_ns = a->baseline_ns,
				   .vs_baseline = a->vs_baseline,
				   .baseline = a->baseline,
				   .trials = a->trials,
				   .ok_trials = a->ok_trials,
				   .newest = a->newest};
}

/* Works out the answers of one subject from its results, and keeps those that are asked for. */
static enum asc_status work_out(struct kept_list *k, struct db *d, const struct pair *p,
				const struct question *q, struct asc_err *e)
{
	const struct subject *of = NULL;
	struct answers answers;
	struct snapshot s;

	if (snapshot_read(d, p->device_id, p->problem_id, &s, e))
		return e->status;
	enum asc_status status = answers_find(&s, &answers, e);
	for (size_t i = 0; i < answers.n && status == ASC_OK; i++) {
		const struct answer *a = &answers.list[i];

		if (!is_asked(q, a->cache_policy, a->simulated, a->own != NULL))
			continue;
		if (!of && !(of = keep_subject(k, s.subject))) {
			status = asc_err_nomem(e);
			continue;
		}
		const struct answer_row row = row_of(of, a);

		status = keep(k, of, &row, a->trial->config->of->name, e);
	}
	answers_fini(&answers);
	snapshot_fini(&s);
	return status;
}

/* ---- the answers that the database keeps ---- */

struct pairs {
	struct pair *list;
	size_t n, room;
};

/* Lists subjects whose kept answers are stale. */
static enum asc_status list_stale(struct pairs *p, struct db *d, const char *workload,
				  struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct statement s;

	answer_rows_begin_stale(&s, d, workload);
	while (statement_next(&s, &status, e)) {
		if (!array_room(&p->list, p->n, &p->room, sizeof *p->list)) {
			status = asc_err_nomem(e);
			continue;
		}
		p->list[p->n].device_id = statement_take_int(&s);
		p->list[p->n++].problem_id = statement_take_int(&s);
	}
	return status;
}

static int compare_pairs(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;

	if (a->device_id != b->device_id)
		return a->device_id < b->device_id ? -1 : 1;
	return (a->problem_id > b->problem_id) - (a->problem_id < b->problem_id);
}

/* Fails for an answer that contradicts itself, or whose rows are gone: whatever is recorded through
 * the triggers of the database makes it stale. */
static enum asc_status check_kept(const struct answer_row *a, const struct subject *of,
				  const char *implementation, struct asc_err *e)
{
	const bool named =
		of->workload && of->problem && of->device_kind && of->fingerprint && implementation;

	if (!named)
		return asc_err_set(e, ASC_INPUT,
				   "a damaged database, or changed by another program: the device, "
				   "problem or implementation of a kept answer is gone");
	if (!a->sure || (*a->sure && sure_parse(a->sure) == SURE_UNKNOWN) || !a->ties_json ||
	    a->n_ties < 0 || a->trials < 0)
		return asc_err_set(e, ASC_INPUT,
				   "a damaged database, or changed by another program: the kept "
				   "answer to %s/%s contradicts itself",
				   of->workload, of->problem);
	return ASC_OK;
}

/* Takes an answer of a statement of answer_rows.h, and keeps it where it is asked for and not of a
 * subject that is to be worked out. */
static enum asc_status take_kept(struct kept_list *k, struct statement *s, const struct question *q,
				 const struct pairs *stale, struct asc_err *e)
{
	struct answer_row row;

	answer_rows_take(s, &row);
	const struct pair of = {row.device_id, row.problem_id};

	if (!is_asked(q, row.cache_policy, row.simulated, row.own != 0) ||
	    (stale->n > 0 &&
	     bsearch(&of, stale->list, stale->n, sizeof *stale->list, compare_pairs)))
		return ASC_OK;
	struct subject names = {.device_id = row.device_id, .problem_id = row.problem_id};

	statement_take_texts(s, (const char **const[]){&names.workload, &names.problem,
						       &names.problem_key, &names.device_kind,
						       &names.device_model, &names.fingerprint,
						       &names.machine, NULL});
	const char *implementation = statement_take_text(s);

	if (check_kept(&row, &names, implementation, e))
		return e->status;
	const struct subject *kept = keep_subject(k, &names);

	return kept ? keep(k, kept, &row, implementation, e) : asc_err_nomem(e);
}

/* Keeps what is asked for. Stale subjects are listed first: one that another process works out
 * meanwhile is worked out here, too, and none is missed. */
static enum asc_status gather(struct kept_list *k, struct db *d, const struct question *q,
			      struct asc_err *e)
{
	struct pairs stale = {0};
	struct statement s;
	enum asc_status status = list_stale(&stale, d, q->workload, e);

	if (stale.n > 1)
		qsort(stale.list, stale.n, sizeof *stale.list, compare_pairs);
	if (status == ASC_OK) {
		answer_rows_begin(&s, d, q->workload);
		while (statement_next(&s, &status, e))
			status = take_kept(k, &s, q, &stale, e);
	}
	for (size_t i = 0; i < stale.n && status == ASC_OK; i++)
		status = work_out(k, d, &stale.list[i], q, e);
	free(stale.list);
	return status;
}

/* Works out the answers of one subject and has the database keep them, in one transaction: what is
 * kept is the answer to the results that it was read from. */
static enum asc_status refresh(struct db *d, const struct pair *p, struct asc_err *e)
{
	const struct answer_row **rows = NULL;
	struct kept_list k = {0};

	if (db_begin_batch(d, e))
		return e->status;
	enum asc_status status = work_out(
		&k, d, p, &(struct question){.origin = OF_ANY_ORIGIN, .scope = OF_ANY_SCOPE}, e);
	if (status == ASC_OK) {
		rows = malloc((k.n + 1) * sizeof(struct answer_row *));
		status = rows ? ASC_OK : asc_err_nomem(e);
	}
	for (size_t i = 0; i < k.n && status == ASC_OK; i++)
		rows[i] = &k.list[i].row;
	if (status == ASC_OK)
		status = answer_rows_replace(d, p->device_id, p->problem_id, rows, k.n, e);
	free(rows);
	kept_fini(&k);
	return db_end_batch(d, status, e);
}

enum asc_status best_refresh(struct db *d, struct asc_err *e)
{
	struct pairs stale = {0};
	struct asc_err first = {.status = ASC_OK};
	enum asc_status status = list_stale(&stale, d, NULL, e);

	/* A transaction for each: others can record in between. One subject that cannot be worked
	 * out leaves the others their answers. */
	for (size_t i = 0; i < stale.n && status == ASC_OK; i++) {
		status = refresh(d, &stale.list[i], e);
		if (status == ASC_INPUT) {
			first = first.status ? first : *e;
			status = ASC_OK;
		}
	}
	free(stale.list);
	if (status == ASC_OK && first.status) {
		*e = first;
		status = first.status;
	}
	return status;
}

enum asc_status best_keep(struct db *d, struct asc_err *e)
{
	struct asc_err failed;

	if (best_refresh(d, &failed) == ASC_OK)
		return ASC_OK;
	if (failed.status == ASC_NOMEM)
		return asc_err_nomem(e);
	/* Input does not mend itself; a full disk, or a process that holds the lock, does. */
	log_print(failed.status == ASC_INPUT ? LOG_WARN : LOG_DEBUG, "answers are not kept: %s",
		  failed.text);
	return ASC_OK;
}

/* ---- their order ---- */

/* Compares texts; NULL comes first. */
static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* Compares what is asked: the same question of one machine, whatever its driver, is equal. */
static int compare_questions(const struct kept *a, const struct kept *b)
{
	const char *const pairs[][2] = {
		{a->of->workload, b->of->workload},
		{a->of->problem, b->of->problem},
		{a->of->device_kind, b->of->device_kind},
		{a->of->device_model, b->of->device_model},
		{a->of->machine, b->of->machine},
		{a->row.cache_policy, b->row.cache_policy},
		{a->row.own ? a->implementation : "", b->row.own ? b->implementation : ""}};
	int order = 0;

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs && order == 0; i++)
		order = compare_texts(pairs[i][0], pairs[i][1]);
	return order;
}

static int compare_newest(const void *x, const void *y)
{
	const struct kept *a = x, *b = y;
	const int order = compare_questions(a, b);

	return order ? order : (a->row.newest < b->row.newest) - (a->row.newest > b->row.newest);
}

/* Marks the answers that are older: under another driver the machine has a newer one to the same
 * question, or had one that fails now. */
static void mark_older(struct kept_list *k)
{
	if (k->n > 1)
		qsort(k->list, k->n, sizeof *k->list, compare_newest);
	for (size_t i = 1; i < k->n; i++)
		k->list[i].older = compare_questions(&k->list[i - 1], &k->list[i]) == 0;
}

static int compare_shown(const void *x, const void *y)
{
	const struct kept *a = x, *b = y;
	const char *const before[][2] = {{a->of->workload, b->of->workload},
					 {a->of->problem, b->of->problem},
					 {a->of->device_kind, b->of->device_kind},
					 {a->of->device_model, b->of->device_model}},
			  *const after[][2] = {{a->of->fingerprint, b->of->fingerprint},
					       {a->of->problem_key, b->of->problem_key},
					       {a->row.cache_policy, b->row.cache_policy},
					       {a->implementation, b->implementation}};
	int order = 0;

	for (size_t i = 0; i < sizeof before / sizeof *before && order == 0; i++)
		order = compare_texts(before[i][0], before[i][1]);
	if (order == 0)
		order = a->older - b->older;
	for (size_t i = 0; i < sizeof after / sizeof *after && order == 0; i++)
		order = compare_texts(after[i][0], after[i][1]);
	return order;
}

/* ---- the visit ---- */

static enum asc_status place(struct db *d, const char *element, struct best_row *row,
			     struct asc_err *e)
{
	struct roof roof;
	struct roofline r;

	if (db_find_roof(d, row->device_fingerprint, element, &roof, e))
		return e->status;
	(void)roofline_place(&roof, row->flops, row->bytes, row->median_ns, &r);
	row->peak_flops = roof.flops;
	row->peak_bandwidth = roof.bandwidth;
	row->attainable_flops = r.attainable;
	row->attainable_part = r.part;
	row->bound = r.bound;
	row->attainable_note = r.note;
	return ASC_OK;
}

/* Takes the columns of load_facts(), but for the last. */
static void take_facts(struct statement *s, struct best_row *row)
{
	statement_take_texts(s, (const char **const[]){&row->workload, &row->operator_name,
						       &row->problem, &row->dims_json,
						       &row->device_kind, &row->device_model,
						       &row->device_arch, &row->device_fingerprint,
						       &row->device_driver, &row->clock,
						       &row->implementation, NULL});
	row->implementation_index = statement_take_int(s);
	statement_take_texts(s, (const char **const[]){&row->config_json, &row->config_key,
						       &row->rewrites_json, NULL});
	for (size_t i = 0; i < 7; i++)
		*(double *const[]){&row->median_ns, &row->q1_ns,  &row->q3_ns,  &row->min_ns,
				   &row->max_ns,    &row->low_ns, &row->high_ns}[i] =
			statement_take_real(s);
	row->n_samples = statement_take_int(s);
	row->clock_mhz = statement_take_real(s);
	row->ties_json = statement_take_text(s);
	row->flops = statement_take_real(s);
	row->bytes = statement_take_real(s);
	row->max_abs_error = statement_take_real(s);
	row->metrics_json = statement_take_text(s);
	row->run_id = statement_take_int(s);
	row->trial_id = statement_take_int(s);
	statement_take_texts(s, (const char **const[]){
					&row->recorded_at, &row->provenance_json, &row->export_json,
					&row->kinds_json, &row->source_digest, &row->run_outcome,
					&row->run_budget, &row->workload_file, NULL});
	row->run_trials = statement_take_int(s);
}

/* Makes the row of an answer and visits it. */
static enum asc_status show(const struct kept *k, struct db *d, best_fn *visit, void *user,
			    struct asc_err *e)
{
	const struct answer_row *a = &k->row;
	struct best_row row = {.cache_policy = a->cache_policy,
			       .older = k->older,
			       .final_run_id = a->final_run_id,
			       .sure = sure_name(sure_parse(a->sure)),
			       .noise_pct = a->noise_pct,
			       .n_ties = a->n_ties,
			       .default_ns = isnan(a->default_ns) ? 0 : a->default_ns,
			       .default_key = a->default_key,
			       .vs_default = a->vs_default,
			       .baseline = a->baseline,
			       .baseline_ns = isnan(a->baseline_ns) ? 0 : a->baseline_ns,
			       .vs_baseline = a->vs_baseline,
			       .trials = a->trials,
			       .ok_trials = a->ok_trials,
			       .own_implementation = a->own,
			       .failed = a->failed,
			       .device_machine = k->of->machine};
	struct statement s;
	bool found;

	load_facts(&s, d,
		   &(struct load_facts_of){a->trial_id, a->device_id, a->problem_id,
					   a->final_run_id, a->ties_json});
	enum asc_status status = statement_step(&s, &found, e);
	if (status == ASC_OK && !found)
		status = asc_err_set(e, ASC_INPUT,
				     "a damaged database, or changed by another program: trial "
				     "%" PRId64 ", the answer to %s/%s, is gone",
				     a->trial_id, k->of->workload, k->of->problem);
	if (status == ASC_OK) {
		take_facts(&s, &row);
		status = place(d, statement_take_text(&s), &row, e);
		if (status == ASC_OK)
			status = visit(user, &row, e);
	}
	statement_end(&s);
	return status;
}

/* Shows what is asked for, in order. Finals may answer with a configuration that no trial with this
 * cache policy has tried: then nothing counts it, and it is not shown. */
static enum asc_status show_all(struct kept_list *k, struct db *d, const struct question *q,
				best_fn *visit, void *user, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	if (k->n > 1)
		qsort(k->list, k->n, sizeof *k->list, compare_shown);
	for (size_t i = 0; i < k->n && status == ASC_OK; i++) {
		const struct kept *a = &k->list[i];

		if (a->row.trials > 0 && (q->older || !a->older) && (q->failed || !a->row.failed))
			status = show(a, d, visit, user, e);
	}
	return status;
}

static enum asc_status each(struct db *d, const struct question *q, best_fn *visit, void *user,
			    struct asc_err *e)
{
	struct kept_list k = {0};
	enum asc_status status = gather(&k, d, q, e);

	if (status == ASC_OK) {
		mark_older(&k);
		status = show_all(&k, d, q, visit, user, e);
	}
	kept_fini(&k);
	return status;
}

enum asc_status best_each(struct db *d, const char *workload, best_fn *visit, void *user,
			  struct asc_err *e)
{
	return each(d, &(struct question){.workload = workload}, visit, user, e);
}

enum asc_status best_each_or_last(struct db *d, const char *workload, best_fn *visit, void *user,
				  struct asc_err *e)
{
	return each(d, &(struct question){.workload = workload, .failed = true}, visit, user, e);
}

enum asc_status best_each_of_implementations(struct db *d, const char *workload, best_fn *visit,
					     void *user, struct asc_err *e)
{
	return each(d, &(struct question){.workload = workload, .scope = OF_EACH}, visit, user, e);
}

enum asc_status best_each_ever(struct db *d, const char *workload, best_fn *visit, void *user,
			       struct asc_err *e)
{
	return each(d, &(struct question){.workload = workload, .failed = true, .older = true},
		    visit, user, e);
}

enum asc_status best_each_simulated(struct db *d, const char *workload, best_fn *visit, void *user,
				    struct asc_err *e)
{
	return each(d, &(struct question){.workload = workload, .origin = SIMULATED}, visit, user,
		    e);
}

/* ---- one subject ---- */

static enum asc_status find_subject(struct db *d, int64_t run_id, struct asked_run *out,
				    struct asc_err *e)
{
	struct statement s;

	*out = (struct asked_run){0};
	load_subject_of(&s, d, run_id);
	enum asc_status status = statement_step(&s, &out->found, e);
	if (status == ASC_OK && out->found) {
		out->pair.device_id = statement_take_int(&s);
		out->pair.problem_id = statement_take_int(&s);
		const char *policy = statement_take_text(&s);

		out->cache_policy = policy ? str_dup(policy) : NULL;
		if (policy && !out->cache_policy)
			status = asc_err_nomem(e);
	}
	statement_end(&s);
	return status;
}

/* Keeps the answers of one subject; true in *kept where these are not stale. */
static enum asc_status find_kept(struct kept_list *k, struct db *d, const struct pair *of,
				 const struct question *q, bool *kept, struct asc_err *e)
{
	const struct pairs none = {0};
	enum asc_status status;
	struct statement s;
	bool is_stale;

	answer_rows_begin_stale_of(&s, d, of->device_id, of->problem_id);
	status = statement_step(&s, &is_stale, e);
	statement_end(&s);
	*kept = !is_stale;
	if (status != ASC_OK || is_stale)
		return status;
	answer_rows_begin_of(&s, d, of->device_id, of->problem_id);
	while (statement_next(&s, &status, e))
		status = take_kept(k, &s, q, &none, e);
	return status;
}

enum asc_status best_find(struct db *d, int64_t run_id, best_fn *visit, void *user,
			  struct asc_err *e)
{
	struct kept_list k = {0};
	struct asked_run of;
	const struct question q = {.origin = OF_ANY_ORIGIN, .as = &of};
	bool kept = false;
	enum asc_status status = find_subject(d, run_id, &of, e);

	if (status == ASC_OK && of.found)
		status = find_kept(&k, d, &of.pair, &q, &kept, e);
	if (status == ASC_OK && of.found && !kept)
		status = work_out(&k, d, &of.pair, &q, e);
	if (status == ASC_OK)
		status = show_all(&k, d, &q, visit, user, e);
	free(of.cache_policy);
	kept_fini(&k);
	return status;
}

enum asc_status best_find_fastest(struct db *d, int64_t run_id, const char *implementation,
				  struct buf *config, double *median_ns, bool *found,
				  struct asc_err *e)
{
	struct snapshot s = {0};
	struct asked_run of;
	enum asc_status status = find_subject(d, run_id, &of, e);

	*found = false;
	if (status == ASC_OK && of.found)
		status = snapshot_read(d, of.pair.device_id, of.pair.problem_id, &s, e);
	if (status == ASC_OK && of.found) {
		const struct trial_row *t =
			answers_find_fastest(&s, of.cache_policy, implementation);

		*found = t != NULL;
		if (t) {
			buf_add_str(config, t->config->key);
			*median_ns = t->median_ns;
			status = buf_check(config, e);
		}
		snapshot_fini(&s);
	}
	free(of.cache_policy);
	return status;
}
