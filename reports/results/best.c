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
#include "reports/results/kept_answers.h"
#include "reports/results/outcomes.h"
#include "reports/results/profile_json.h"
#include "reports/results/snapshot.h"
#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/result/profile.h"
#include "tuner/result/result.h"
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
	FIELD("baseline", TEXT, baselines.list[0].name), /* the first, as if it were the only one */
	FIELD("baseline_ns", AMOUNT, baselines.list[0].ns),
	FIELD("vs_baseline", AMOUNT, baselines.list[0].ratio),
	FIELD("baselines", JSON, baselines_json),
	FIELD("flops", AMOUNT, flops),
	FIELD("bytes", AMOUNT, bytes),
	FIELD("max_abs_error", REAL, max_abs_error),
	FIELD("verified_by", TEXT, verified_by),
	FIELD("bits", JSON, bits_json),
	FIELD("metrics", JSON, metrics_json),
	FIELD("profile", JSON, profile_json),
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

/* ---- the visit ---- */

static enum asc_status place(struct db *d, const char *element, struct best_row *row,
			     struct asc_err *e)
{
	struct roof roof;
	struct roofline r;

	/* The roof is that of now: a peak that was measured since changes what is attainable, but
	 * not the answer, so that it is not kept. */
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
	row->verified_by = statement_take_text(s);
	row->bits_json = statement_take_text(s);
	statement_take_bits(s, &row->bits);
	row->metrics_json = statement_take_text(s);
	row->run_id = statement_take_int(s);
	row->trial_id = statement_take_int(s);
	statement_take_texts(s, (const char **const[]){
					&row->recorded_at, &row->provenance_json, &row->export_json,
					&row->kinds_json, &row->source_digest, &row->run_outcome,
					&row->run_budget, &row->workload_file, NULL});
	row->run_trials = statement_take_int(s);
	row->compared_alone = statement_take_int(s);
}

/* Name of the metric in metrics_json. */
static const char HOST_NS[] = RESULT_KERNEL ".host_ns";

/* Takes the time of the host from the metrics, where it is the longer one. */
static enum asc_status take_host(struct best_row *row, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct value host_ns;

	if (!row->metrics_json || !strstr(row->metrics_json, HOST_NS))
		return ASC_OK;
	if (json_open_text("metrics", row->metrics_json, strlen(row->metrics_json), &doc, e))
		return asc_err_wrap(e, "a damaged database, or changed by another program");
	const struct json_node *n = json_find(json_root(doc), HOST_NS);

	/* One without a value has a reason in its place, and is no figure. */
	if (n && json_get_value(n, &host_ns, e) == ASC_OK &&
	    value_as_real(host_ns) > row->median_ns)
		row->host_ns = value_as_real(host_ns);
	json_close(doc);
	return ASC_OK;
}

bool best_has_older_source(const struct best_row *row)
{
	/* load_facts() writes this digest in the place of the source. */
	return row->export_json &&
	       strstr(row->export_json, "\"@source\":\"0000000000000000\"") != NULL;
}

/* Finds the profile of a row's configuration, which *p and `text` hold for it. */
static enum asc_status find_profile(struct db *d, int64_t implementation_id, struct profile *p,
				    struct buf *text, struct best_row *row, struct asc_err *e)
{
	struct json_writer w = {text, false};
	bool found;

	if (db_find_profile(d, row->run_id, implementation_id, row->config_key, p, &found, e))
		return e->status;
	if (!found)
		return ASC_OK;
	row->profile = p;
	const enum asc_status status = profile_json_write(&w, NULL, NULL, p, e);

	row->profile_json = buf_str(text);
	return status;
}

/* Makes the row of an answer and visits it, one of configurations that were compared alone only
 * where it is `wanted_alone`. */
static enum asc_status show(const struct kept *k, struct db *d, bool wanted_alone, best_fn *visit,
			    void *user, struct asc_err *e)
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
			       .baselines_json = a->baselines_json,
			       .trials = a->trials,
			       .ok_trials = a->ok_trials,
			       .own_implementation = a->own,
			       .failed = a->failed,
			       .device_machine = k->of->machine,
			       .energy = k->energy};
	struct profile profile = {0};
	struct statement s;
	struct buf text = {0};
	struct json_doc *baselines = NULL;
	bool found;

	if (json_open_text("baselines", a->baselines_json, strlen(a->baselines_json), &baselines,
			   e) ||
	    baselines_read_json(json_root(baselines), &row.baselines, e)) {
		json_close(baselines);
		return asc_err_wrap(e, "a damaged database, or changed by another program");
	}
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
			status = take_host(&row, e);
		if (status == ASC_OK)
			status = find_profile(d, a->implementation_id, &profile, &text, &row, e);
		if (status == ASC_OK && (wanted_alone || !row.compared_alone))
			status = visit(user, &row, e);
		profile_fini(&profile);
		buf_fini(&text);
	}
	statement_end(&s);
	json_close(baselines);
	return status;
}

/* Shows what is asked for, in order. Finals may answer with a configuration that no trial with this
 * cache policy has tried: then nothing counts it, and it is not shown. */
static enum asc_status each(struct db *d, const struct kept_question *q, best_fn *visit, void *user,
			    struct asc_err *e)
{
	struct kept_list k = {0};
	enum asc_status status = kept_list_read(&k, d, q, e);

	for (size_t i = 0; i < k.n && status == ASC_OK; i++) {
		const struct kept *a = &k.list[i];

		if (a->row.trials > 0 && (q->older || !a->older) && (q->failed || !a->row.failed))
			status = show(a, d, q->as || q->alone, visit, user, e);
	}
	kept_list_fini(&k);
	return status;
}

enum asc_status best_each(struct db *d, const char *workload, best_fn *visit, void *user,
			  struct asc_err *e)
{
	return each(d, &(struct kept_question){.workload = workload}, visit, user, e);
}

enum asc_status best_each_or_last(struct db *d, const char *workload, best_fn *visit, void *user,
				  struct asc_err *e)
{
	return each(d, &(struct kept_question){.workload = workload, .failed = true}, visit, user,
		    e);
}

enum asc_status best_each_of_implementations(struct db *d, const char *workload, best_fn *visit,
					     void *user, struct asc_err *e)
{
	return each(d, &(struct kept_question){.workload = workload, .of = ANSWERS_OF_EACH}, visit,
		    user, e);
}

enum asc_status best_each_compared(struct db *d, best_fn *visit, void *user, struct asc_err *e)
{
	return each(d, &(struct kept_question){.of = ANSWERS_OF_EACH, .alone = true}, visit, user,
		    e);
}

enum asc_status best_each_ever(struct db *d, const char *workload, best_fn *visit, void *user,
			       struct asc_err *e)
{
	return each(d, &(struct kept_question){.workload = workload, .failed = true, .older = true},
		    visit, user, e);
}

enum asc_status best_each_simulated(struct db *d, const char *workload, best_fn *visit, void *user,
				    struct asc_err *e)
{
	return each(d, &(struct kept_question){.workload = workload, .origin = KEPT_SIMULATED},
		    visit, user, e);
}

enum asc_status best_each_simulated_of_implementations(struct db *d, const char *workload,
						       best_fn *visit, void *user,
						       struct asc_err *e)
{
	return each(d,
		    &(struct kept_question){
			    .workload = workload, .origin = KEPT_SIMULATED, .of = ANSWERS_OF_EACH},
		    visit, user, e);
}

enum asc_status best_each_by(struct db *d, const char *workload, enum objective by, best_fn *visit,
			     void *user, struct asc_err *e)
{
	return each(d, &(struct kept_question){.workload = workload, .by = by}, visit, user, e);
}

enum asc_status best_find(struct db *d, int64_t run_id, best_fn *visit, void *user,
			  struct asc_err *e)
{
	return best_find_by(d, run_id, OBJECTIVE_TIME, visit, user, e);
}

enum asc_status best_find_by(struct db *d, int64_t run_id, enum objective by, best_fn *visit,
			     void *user, struct asc_err *e)
{
	struct run_subject of;
	enum asc_status status = run_subject_find(d, run_id, &of, e);

	if (status == ASC_OK && of.found)
		status = each(
			d,
			&(struct kept_question){.origin = KEPT_OF_ANY_ORIGIN, .by = by, .as = &of},
			visit, user, e);
	free(of.cache_policy);
	return status;
}

/* ---- one implementation ---- */

enum asc_status best_find_fastest(struct db *d, int64_t run_id, const char *implementation,
				  struct buf *config, double *median_ns, bool *found,
				  struct asc_err *e)
{
	struct snapshot s = {0};
	struct run_subject of;
	enum asc_status status = run_subject_find(d, run_id, &of, e);

	*found = false;
	if (status == ASC_OK && of.found)
		status = snapshot_read(d, of.key.device_id, of.key.problem_id, &s, e);
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

/* ---- keeping ---- */

/* Works out the answers and outcomes of one subject and has the database keep them. The rows are
 * read once, in the same transaction: what is kept is the answer to the results that it was read
 * from. */
static enum asc_status refresh(struct db *d, const struct subject_key *of, struct asc_err *e)
{
	const struct kept_question all = {.origin = KEPT_OF_ANY_ORIGIN, .of = ANSWERS_OF_BOTH};
	const struct answer_row **rows = NULL;
	struct outcomes outcomes = {.n = 0};
	struct kept_list k = {0};
	struct snapshot s = {0};

	if (db_begin_batch(d, e))
		return e->status;
	enum asc_status status = snapshot_read(d, of->device_id, of->problem_id, &s, e);
	if (status == ASC_OK)
		status = kept_list_work_out(&k, &s, &all, e);
	if (status == ASC_OK)
		status = outcomes_find(&s, &outcomes, e);
	if (status == ASC_OK) {
		rows = malloc((k.n + 1) * sizeof(struct answer_row *));
		status = rows ? ASC_OK : asc_err_nomem(e);
	}
	for (size_t i = 0; i < k.n && status == ASC_OK; i++)
		rows[i] = &k.list[i].row;
	if (status == ASC_OK)
		status = outcome_rows_replace(d, of->device_id, of->problem_id, outcomes.list,
					      outcomes.n, e);
	if (status == ASC_OK)
		status = answer_rows_replace(d, of->device_id, of->problem_id, rows, k.n, e);
	free(rows);
	outcomes_fini(&outcomes);
	kept_list_fini(&k);
	snapshot_fini(&s);
	return db_end_batch(d, status, e);
}

enum asc_status best_refresh(struct db *d, struct asc_err *e)
{
	struct subject_keys stale = {0};
	struct asc_err first = {.status = ASC_OK};
	enum asc_status status = subject_keys_read_stale(&stale, d, NULL, e);

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

enum asc_status best_keep(struct db *d, enum asc_status status, struct asc_err *e)
{
	struct asc_err failed;

	if (!d || best_refresh(d, &failed) == ASC_OK)
		return status;
	if (failed.status == ASC_NOMEM)
		return status ? status : asc_err_nomem(e);
	/* Somebody has to know of a full disk or a damaged database, unless `e` says it already. A
	 * lock that another process holds is given back: the next question does the work. */
	const bool passes =
		status != ASC_OK || failed.status == ASC_BUSY || failed.status == ASC_INTERRUPTED;

	log_print(passes ? LOG_DEBUG : LOG_WARN, "answers are not kept: %s", failed.text);
	return status;
}
