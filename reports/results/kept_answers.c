#include "reports/results/kept_answers.h"

#include <stdlib.h>
#include <string.h>

#include "db/load.h"
#include "reports/results/snapshot.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

/* A question takes the kept answers of all subjects but the stale ones, whose rows are read and
 * judged again. What is older is known only when all are there: another driver of the same machine
 * is another subject. */

void kept_list_fini(struct kept_list *k)
{
	free(k->list);
	arena_fini(&k->arena);
}

static bool is_asked(const struct kept_question *q, const char *cache_policy, int64_t simulated,
		     bool own)
{
	return (!q->as || str_is_same(cache_policy, q->as->cache_policy)) &&
	       (q->origin == KEPT_OF_ANY_ORIGIN || simulated == (int64_t)q->origin) &&
	       (q->of == ANSWERS_OF_BOTH || own == (q->of == ANSWERS_OF_EACH));
}

/* ---- copies ---- */

/* Copies texts into the arena, in place, up to a NULL address; NULL stays NULL. */
static enum asc_status copy_texts(struct kept_list *k, const char **const *texts, struct asc_err *e)
{
	for (; *texts; texts++) {
		const char *copy = **texts ? arena_copy(&k->arena, **texts) : NULL;

		if (**texts && !copy)
			return asc_err_nomem(e);
		**texts = copy;
	}
	return ASC_OK;
}

/* Adds an answer with copies of its texts. Its subject is that of the answer before, mostly, which
 * is then shared. */
static enum asc_status add(struct kept_list *k, const struct subject *of,
			   const struct answer_row *a, const char *implementation,
			   const struct objective_answer *energy, struct asc_err *e)
{
	const struct subject *last = k->n > 0 ? k->list[k->n - 1].of : NULL;

	if (!array_room(&k->list, k->n, &k->room, sizeof *k->list))
		return asc_err_nomem(e);
	if (!last || last->device_id != of->device_id || last->problem_id != of->problem_id) {
		struct subject *s = arena_alloc(&k->arena, sizeof *s);

		if (!s)
			return asc_err_nomem(e);
		*s = *of;
		if (copy_texts(k,
			       (const char **const[]){&s->workload, &s->problem, &s->problem_key,
						      &s->device_kind, &s->device_model,
						      &s->fingerprint, &s->machine, NULL},
			       e))
			return e->status;
		last = s;
	}
	struct kept *to = &k->list[k->n];

	*to = (struct kept){
		.row = *a, .of = last, .implementation = implementation, .energy = *energy};
	if (copy_texts(k,
		       (const char **const[]){&to->row.cache_policy, &to->row.sure,
					      &to->row.ties_json, &to->row.default_key,
					      &to->row.baselines_json, &to->implementation, NULL},
		       e))
		return e->status;
	k->n++;
	return ASC_OK;
}

/* ---- answers that are worked out ---- */

static struct answer_row row_of(const struct subject *of, const struct answer *a,
				const struct buf *baselines)
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
				   .baselines_json = buf_str(baselines),
				   .trials = a->trials,
				   .ok_trials = a->ok_trials,
				   .newest = a->newest};
}

enum asc_status kept_list_work_out(struct kept_list *k, const struct snapshot *s,
				   const struct kept_question *q, struct asc_err *e)
{
	struct answers answers;
	enum asc_status status = answers_find(s, q->of, q->by, &answers, e);

	struct buf baselines = {0};

	for (size_t i = 0; i < answers.n && status == ASC_OK; i++) {
		const struct answer *a = &answers.list[i];

		buf_clear(&baselines);
		baselines_write_json(&a->baselines, &baselines);
		if (buf_check(&baselines, e)) {
			status = e->status;
			break;
		}
		const struct answer_row row = row_of(s->subject, a, &baselines);

		if (is_asked(q, a->cache_policy, a->simulated, a->own != NULL))
			status =
				add(k, s->subject, &row, a->trial->config->of->name, &a->energy, e);
	}
	buf_fini(&baselines);
	answers_fini(&answers);
	return status;
}

static enum asc_status read_stale(struct kept_list *k, struct db *d, const struct subject_key *of,
				  const struct kept_question *q, struct asc_err *e)
{
	struct snapshot s;

	if (snapshot_read(d, of->device_id, of->problem_id, &s, e))
		return e->status;
	const enum asc_status status = kept_list_work_out(k, &s, q, e);

	snapshot_fini(&s);
	return status;
}

/* ---- answers that the database keeps ---- */

static int compare_keys(const void *x, const void *y)
{
	const struct subject_key *a = x, *b = y;

	if (a->device_id != b->device_id)
		return a->device_id < b->device_id ? -1 : 1;
	return (a->problem_id > b->problem_id) - (a->problem_id < b->problem_id);
}

/* Takes all rows of a statement that begins with device and problem. */
static enum asc_status read_keys(struct subject_keys *s, struct statement *rows, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	while (statement_next(rows, &status, e)) {
		if (!array_room(&s->list, s->n, &s->room, sizeof *s->list)) {
			status = asc_err_nomem(e);
			continue;
		}
		s->list[s->n].device_id = statement_take_int(rows);
		s->list[s->n++].problem_id = statement_take_int(rows);
	}
	if (s->n > 1)
		qsort(s->list, s->n, sizeof *s->list, compare_keys);
	return status;
}

enum asc_status subject_keys_read_stale(struct subject_keys *s, struct db *d, const char *workload,
					struct asc_err *e)
{
	struct statement rows;

	answer_rows_begin_stale(&rows, d, workload);
	return read_keys(s, &rows, e);
}

bool subject_keys_has(const struct subject_keys *s, const struct subject_key *key)
{
	return s->n > 0 && bsearch(key, s->list, s->n, sizeof *s->list, compare_keys);
}

/* Fails for an answer that contradicts itself, or whose rows are gone: whatever is recorded through
 * the triggers of the database makes it stale. */
static enum asc_status check(const struct answer_row *a, const struct subject *of,
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

/* Takes an answer of a statement of answer_rows.h, and adds it where it is asked for and not of a
 * subject that is to be worked out. */
static enum asc_status take_kept(struct kept_list *k, struct statement *s,
				 const struct kept_question *q, const struct subject_keys *stale,
				 struct asc_err *e)
{
	struct answer_row row;

	answer_rows_take(s, &row);
	const struct subject_key key = {row.device_id, row.problem_id};

	if (!is_asked(q, row.cache_policy, row.simulated, row.own != 0) ||
	    subject_keys_has(stale, &key))
		return ASC_OK;
	struct subject of = {.device_id = row.device_id, .problem_id = row.problem_id};

	statement_take_texts(s, (const char **const[]){&of.workload, &of.problem, &of.problem_key,
						       &of.device_kind, &of.device_model,
						       &of.fingerprint, &of.machine, NULL});
	const char *implementation = statement_take_text(s);

	return check(&row, &of, implementation, e)
		       ? e->status
		       : add(k, &of, &row, implementation, &(struct objective_answer){0}, e);
}

/* ---- order ---- */

/* Compares pairs of texts, the first difference decides; NULL comes before any text. */
static int compare_texts(const char *const (*pairs)[2], size_t n)
{
	int order = 0;

	for (size_t i = 0; i < n && order == 0; i++) {
		const char *a = pairs[i][0], *b = pairs[i][1];

		order = a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
	}
	return order;
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

	return compare_texts(pairs, sizeof pairs / sizeof *pairs);
}

static int compare_newest(const void *x, const void *y)
{
	const struct kept *a = x, *b = y;
	const int order = compare_questions(a, b);

	return order ? order : (a->row.newest < b->row.newest) - (a->row.newest > b->row.newest);
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
	int order = compare_texts(before, sizeof before / sizeof *before);

	if (order == 0)
		order = a->older - b->older;
	return order ? order : compare_texts(after, sizeof after / sizeof *after);
}

/* ---- the list ---- */

/* Adds the answers of one subject; works them out where those that the database keeps are stale. */
static enum asc_status read_subject(struct kept_list *k, struct db *d,
				    const struct kept_question *q, struct asc_err *e)
{
	const struct subject_key *of = &q->as->key;
	const struct subject_keys none = {0};
	enum asc_status status;
	struct statement s;
	bool stale;

	answer_rows_begin_stale_of(&s, d, of->device_id, of->problem_id);
	status = statement_step(&s, &stale, e);
	statement_end(&s);
	if (status != ASC_OK)
		return status;
	if (stale || q->by != OBJECTIVE_TIME)
		return read_stale(k, d, of, q, e);
	answer_rows_begin_of(&s, d, of->device_id, of->problem_id);
	while (statement_next(&s, &status, e))
		status = take_kept(k, &s, q, &none, e);
	return status;
}

/* Adds the answers by energy of all subjects of a workload that have any. The database keeps none:
 * few subjects have them, and few questions are about them. */
static enum asc_status read_counted(struct kept_list *k, struct db *d,
				    const struct kept_question *q, struct asc_err *e)
{
	struct subject_keys counted = {0};
	struct statement s;

	load_energy_subjects(&s, d, q->workload);
	enum asc_status status = read_keys(&counted, &s, e);

	for (size_t i = 0; i < counted.n && status == ASC_OK; i++)
		status = read_stale(k, d, &counted.list[i], q, e);
	free(counted.list);
	return status;
}

/* Adds the answers of all subjects of a workload. Stale ones are listed first: one that another
 * process works out meanwhile is worked out here, too, and none is missed. */
static enum asc_status read_all(struct kept_list *k, struct db *d, const struct kept_question *q,
				struct asc_err *e)
{
	struct subject_keys stale = {0};
	struct statement s;
	enum asc_status status = subject_keys_read_stale(&stale, d, q->workload, e);

	if (status == ASC_OK) {
		answer_rows_begin(&s, d, q->workload);
		while (statement_next(&s, &status, e))
			status = take_kept(k, &s, q, &stale, e);
	}
	for (size_t i = 0; i < stale.n && status == ASC_OK; i++)
		status = read_stale(k, d, &stale.list[i], q, e);
	free(stale.list);
	return status;
}

enum asc_status kept_list_read(struct kept_list *k, struct db *d, const struct kept_question *q,
			       struct asc_err *e)
{
	enum asc_status (*const read)(struct kept_list *, struct db *, const struct kept_question *,
				      struct asc_err *) = q->as                     ? read_subject
							  : q->by != OBJECTIVE_TIME ? read_counted
										    : read_all;

	if (read(k, d, q, e))
		return e->status;
	/* Answers are older if the machine has, under another driver, a newer one to the same
	 * question, or had one that fails now. Of one subject all are of one driver. */
	if (k->n > 1 && !q->as)
		qsort(k->list, k->n, sizeof *k->list, compare_newest);
	for (size_t i = 1; i < k->n && !q->as; i++)
		k->list[i].older = compare_questions(&k->list[i - 1], &k->list[i]) == 0;
	if (k->n > 1)
		qsort(k->list, k->n, sizeof *k->list, compare_shown);
	return ASC_OK;
}

enum asc_status run_subject_find(struct db *d, int64_t run_id, struct run_subject *out,
				 struct asc_err *e)
{
	struct statement s;

	*out = (struct run_subject){0};
	load_subject_of(&s, d, run_id);
	enum asc_status status = statement_step(&s, &out->found, e);
	if (status == ASC_OK && out->found) {
		out->key.device_id = statement_take_int(&s);
		out->key.problem_id = statement_take_int(&s);
		const char *policy = statement_take_text(&s);

		out->cache_policy = policy ? str_dup(policy) : NULL;
		if (policy && !out->cache_policy)
			status = asc_err_nomem(e);
	}
	statement_end(&s);
	return status;
}
