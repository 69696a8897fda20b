#include "db/db.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "db/best_sql.h"
#include "db/connection.h"
#include "db/statement.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/result/roofline.h"

#define FIELD(name, kind, member)                                                                  \
	{                                                                                          \
		name, offsetof(struct db_best, member), DB_FIELD_##kind, false, false              \
	}
#define DERIVED(name, kind, member)                                                                \
	{                                                                                          \
		name, offsetof(struct db_best, member), DB_FIELD_##kind, true, false               \
	}

/* Fields of a best, in the order of the columns of its query, derived ones last. */
const struct db_field db_best_fields[] = {
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

enum asc_status db_find_fastest(struct db *d, int64_t run_id, const char *implementation,
				struct buf *config, double *median_ns, bool *found,
				struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d,
			"SELECT t.config_key, t.median_ns FROM run own"
			" JOIN implementation i ON i.name = ?2"
			" JOIN current c ON c.implementation_id = i.id"
			"  AND c.device_id = own.device_id AND c.problem_id = own.problem_id"
			" JOIN trial t ON t.implementation_id = i.id AND t.status = 'ok'"
			" JOIN run r ON r.id = t.run_id AND NOT r.imported"
			"  AND r.device_id = own.device_id AND r.problem_id = own.problem_id"
			"  AND r.cache_policy IS own.cache_policy"
			" WHERE own.id = ?1 AND t.median_ns IS NOT NULL AND NOT EXISTS"
			"  (SELECT 1 FROM withdrawn w WHERE w.implementation_id = i.id"
			"   AND w.config_hash = t.config_hash AND w.config_key = t.config_key"
			"   AND w.device_id = own.device_id AND w.problem_id = own.problem_id)"
			" ORDER BY t.median_ns, t.id DESC LIMIT 1");
	statement_bind_int(&s, run_id);
	statement_bind_text(&s, implementation);
	enum asc_status status = statement_step(&s, found, e);
	if (status == ASC_OK && *found) {
		buf_add_str(config, statement_take_text(&s));
		*median_ns = statement_take_real(&s);
		status = buf_check(config, e);
	}
	statement_end(&s);
	return status;
}

void db_take_field(struct statement *s, const struct db_field *f, void *row)
{
	void *member = (char *)row + f->offset;

	switch (f->kind) {
	case DB_FIELD_TEXT:
	case DB_FIELD_JSON: *(const char **)member = statement_take_text(s); break;
	case DB_FIELD_INT: *(int64_t *)member = statement_take_int(s); break;
	case DB_FIELD_REAL:
	case DB_FIELD_AMOUNT: *(double *)member = statement_take_real(s); break;
	}
}

/* ---- how sure, without finals ---- */

struct rivals {
	struct finalist *list;
	size_t n, room;
};

static struct finalist *add_incumbent(struct rivals *r, struct asc_err *e)
{
	if (!array_room(&r->list, r->n, &r->room, sizeof *r->list)) {
		asc_err_nomem(e);
		return NULL;
	}
	r->list[r->n] = (struct finalist){0};
	return &r->list[r->n++];
}

static struct stats_summary time_of(const struct db_best *row)
{
	const bool known = !isnan(row->low_ns) && !isnan(row->high_ns);

	return (struct stats_summary){.n = (size_t)row->n_samples,
				      .min = row->min_ns,
				      .median = row->median_ns,
				      .max = row->max_ns,
				      .interval = {known, row->low_ns, row->high_ns}};
}

static struct stats_summary take_time(struct statement *s)
{
	struct stats_summary t = {.n = (size_t)statement_take_int(s)};

	t.median = statement_take_real(s);
	t.min = statement_take_real(s);
	t.max = statement_take_real(s);
	t.interval.low = statement_take_real(s);
	t.interval.high = statement_take_real(s);
	t.interval.known = !isnan(t.interval.low) && !isnan(t.interval.high);
	return t;
}

static void compare(struct finalist *f, const struct stats_summary *own,
		    const struct stats_summary *best)
{
	f->ratio = tie_ratio_of_medians(own, best, &f->interval);
	f->standing = standing_find(&f->interval, true, TIE_MARGIN);
}

/* Condition that trial `t` of run `o` was not withdrawn. */
#define STANDS                                                                                     \
	" NOT EXISTS (SELECT 1 FROM withdrawn w WHERE w.implementation_id = t.implementation_id"   \
	"  AND w.config_hash = t.config_hash AND w.config_key = t.config_key"                      \
	"  AND w.device_id = o.device_id AND w.problem_id = o.problem_id)"

static const char verified_trials[] =
	"SELECT t.id, t.implementation_id, t.is_default, t.n_samples, t.median_ns, t.min_ns,"
	"  t.max_ns, t.low_ns, t.high_ns"
	" FROM run o CROSS JOIN trial t ON t.run_id = o.id"
	" WHERE o.id = ?1 AND ?2 IN (0, t.implementation_id)"
	"  AND t.status IN ('ok', 'undecided')"
	"  AND t.n_samples > 0 AND t.median_ns > 0 AND" STANDS;

/* Compares the trials of the best's run that were verified and not withdrawn with it, of its own
 * implementation where it is the best of that. *chosen is its own place among them, not changed
 * where it is none of them. */
static enum asc_status compare_trials(struct rivals *r, struct db *d, const struct db_best *row,
				      size_t *chosen, struct asc_err *e)
{
	const struct stats_summary best = time_of(row);
	enum asc_status status = ASC_OK;
	struct statement s;

	statement_begin(&s, d, verified_trials);
	statement_bind_int(&s, row->run_id);
	statement_bind_int(&s, row->own_implementation);
	while (statement_next(&s, &status, e)) {
		struct finalist *f = add_incumbent(r, e);

		if (!f) {
			status = e->status;
			continue;
		}
		if (statement_take_int(&s) == row->trial_id)
			*chosen = r->n - 1;
		f->implementation = (size_t)statement_take_int(&s);
		f->is_default = statement_take_int(&s);
		const struct stats_summary own = take_time(&s);
		compare(f, &own, &best);
	}
	return status;
}

static enum asc_status judge_trials(struct rivals *r, size_t chosen, struct sureness *out,
				    struct asc_err *e)
{
	if (chosen == r->n && !add_incumbent(r, e))
		return e->status;
	return sure_find(r->list, r->n, &r->list[chosen], TIE_MARGIN, out, e);
}

struct run_search {
	bool finals;    /* the policy asks for finals */
	bool untried;   /* an implementation has no trial */
	bool unranked;  /* time ran out before the finals */
	int64_t passed; /* configurations that passed, of the answer's own implementation where it
			   is of one */
};

static enum asc_status find_search(struct db *d, const struct db_best *row, struct run_search *out,
				   struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(&s, d,
			"SELECT coalesce(json_extract(o.policy_json, '$.finals_ratio'), 0) > 0,"
			"  EXISTS (SELECT 1 FROM run_implementation ri WHERE ri.run_id = o.id"
			"   AND NOT EXISTS (SELECT 1 FROM trial x WHERE x.run_id = o.id"
			"    AND x.implementation_id = ri.implementation_id)),"
			"  (SELECT count(DISTINCT t.implementation_id || ' ' || t.config_key)"
			"   FROM trial t WHERE t.run_id = o.id AND t.status" DB_PASSED
			"   AND ?2 IN (0, t.implementation_id) AND" STANDS "), o.sure"
			" FROM run o WHERE o.id = ?1");
	statement_bind_int(&s, row->run_id);
	statement_bind_int(&s, row->own_implementation);
	enum asc_status status = statement_step(&s, &found, e);
	if (status == ASC_OK && found) {
		out->finals = statement_take_int(&s);
		out->untried = statement_take_int(&s);
		out->passed = statement_take_int(&s);
		out->unranked = sure_parse(statement_take_text(&s)) == SURE_UNRANKED;
	}
	statement_end(&s);
	return status;
}

/* Makes the answer undecided where the policy asks for finals and there are none, not compared
 * where that is for want of time, or where one configuration passed. */
static void lower_for_unranked(const struct db_best *row, const struct run_search *search,
			       size_t compared, struct sureness *out)
{
	const struct stats_summary best = time_of(row);
	const struct stats_interval own = tie_interval(&best);

	/* The others that passed were dropped in the search, shown to be slower. */
	if (out->sure == SURE_UNKNOWN && search->passed > 1)
		out->sure = SURE_CLEAR;
	if (search->passed == 1) {
		out->sure = SURE_UNKNOWN;
	} else if (search->unranked && out->sure != SURE_UNUSABLE) {
		*out = (struct sureness){SURE_UNRANKED, 1, 0};
	} else if (search->finals && (compared > 1 || search->untried) &&
		   (out->sure == SURE_CLEAR || out->sure == SURE_TIE)) {
		out->sure = SURE_UNDECIDED;
		out->noise_pct = fmax(out->noise_pct, 50 * (own.high - own.low) / row->median_ns);
	}
}

/* Judges how sure a best without finals is. */
static enum asc_status find_sure(struct db *d, const struct db_best *row, struct sureness *out,
				 struct asc_err *e)
{
	struct run_search search = {0};
	struct rivals r = {0};
	size_t chosen = SIZE_MAX;
	enum asc_status status = compare_trials(&r, d, row, &chosen, e);
	const size_t compared = r.n;

	if (status == ASC_OK && compared > 0)
		status = find_search(d, row, &search, e);
	if (status == ASC_OK)
		status = judge_trials(&r, chosen == SIZE_MAX ? r.n : chosen, out, e);
	if (status == ASC_OK)
		lower_for_unranked(row, &search, compared, out);
	free(r.list);
	return status;
}

/* Judges how sure finals are after withdrawals: the best may be the last of a tie, or slower than a
 * withdrawn one. Texts that cannot be read, of a damaged database, are as none. */
static enum asc_status count_ties(const char *json, struct sureness *s, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct asc_err other;
	const char *standing = "";

	s->ties = 1;
	if (!json || json_open_text("ties", json, strlen(json), &doc, &other))
		return json && other.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	const struct json_node *best = json_first(json_root(doc));

	if (best && json_get_string(json_find(best, "standing"), &standing, &other) == ASC_OK) {
		s->ties = json_count(json_root(doc));
		if (s->ties == 1 && s->sure == SURE_TIE)
			s->sure = strcmp(standing, standing_name(STANDING_SLOWER)) == 0
					  ? SURE_UNKNOWN
					  : SURE_CLEAR;
	}
	json_close(doc);
	return ASC_OK;
}

static enum asc_status add_sureness(struct db *d, struct db_best *row, struct asc_err *e)
{
	struct sureness s = {.sure = sure_parse(row->sure), .noise_pct = row->noise_pct};

	if (count_ties(row->ties_json, &s, e))
		return e->status;
	if (row->failed)
		s = (struct sureness){SURE_UNUSABLE, 1, 0};
	else if (row->final_run_id == 0 && find_sure(d, row, &s, e))
		return e->status;
	row->sure = sure_name(s.sure);
	row->noise_pct = s.noise_pct;
	row->n_ties = (int64_t)s.ties;
	return ASC_OK;
}

/* ---- the visit ---- */

static enum asc_status place_row(struct db *d, const char *element, struct db_best *row,
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

static enum asc_status take_row(struct statement *s, struct db *d, struct db_best *row,
				struct asc_err *e)
{
	const char *element;

	for (const struct db_field *f = db_best_fields; f->name; f++)
		if (!f->derived)
			db_take_field(s, f, row);
	row->final_run_id = statement_take_int(s);
	statement_take_texts(s, (const char **const[]){&row->export_json, &row->kinds_json,
						       &element, &row->source_digest, NULL});
	row->own_implementation = statement_take_int(s);
	row->failed = statement_take_int(s);
	return place_row(d, element, row, e);
}

/* Provenance of a trial; the machine and the end of a run. */
static const char whole[] = "WITH" DB_MACHINES " SELECT " DB_PROVENANCE_JSON(
	"?1") ", x.machine, r.outcome, r.budget, r.workload_file,"
	      "  iif(r.outcome IS 'done', 0, (SELECT count(*) FROM " DB_LAST_STATUSES(
		      "r.id") "))"
			      " FROM run r JOIN machines x ON x.device_id = r.device_id"
			      " WHERE r.id = ?2";

static enum asc_status visit_whole(struct db_best *row, struct db *d, db_best_fn *visit, void *user,
				   struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(&s, d, whole);
	statement_bind_int(&s, row->trial_id);
	statement_bind_int(&s, row->final_run_id ? row->final_run_id : row->run_id);
	enum asc_status status = statement_step(&s, &found, e);
	if (status == ASC_OK) {
		statement_take_texts(&s, (const char **const[]){&row->provenance_json,
								&row->device_machine,
								&row->run_outcome, &row->run_budget,
								&row->workload_file, NULL});
		row->run_trials = statement_take_int(&s);
		status = visit(user, row, e);
	}
	statement_end(&s);
	return status;
}

static enum asc_status visit_rows(struct statement *s, struct db *d, bool failed, db_best_fn *visit,
				  void *user, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	while (statement_next(s, &status, e)) {
		struct db_best best = {0};

		status = take_row(s, d, &best, e);
		if (status == ASC_OK && best.failed && !failed)
			continue;
		if (status == ASC_OK)
			status = add_sureness(d, &best, e);
		if (status == ASC_OK)
			status = visit_whole(&best, d, visit, user, e);
	}
	return status;
}

enum asked { OF_NOW, OF_NOW_OR_LAST, OF_EVERY_DRIVER, OF_STAND_INS };

static enum asc_status each(struct db *d, bool of_implementations, const char *workload,
			    enum asked asked, db_best_fn *visit, void *user, struct asc_err *e)
{
	struct buf sql = {0};
	struct statement s;

	best_sql_add_each(&sql, of_implementations);
	if (buf_check(&sql, e)) {
		buf_fini(&sql);
		return e->status;
	}
	statement_prepare(&s, d, buf_str(&sql));
	buf_fini(&sql);
	statement_bind_text(&s, workload);
	statement_bind_int(&s, asked == OF_EVERY_DRIVER);
	statement_bind_int(&s, 0);
	statement_bind_int(&s, asked == OF_STAND_INS);
	const bool failed = asked == OF_NOW_OR_LAST || asked == OF_EVERY_DRIVER;
	const enum asc_status status = visit_rows(&s, d, failed, visit, user, e);

	statement_drop(&s);
	return status;
}

enum asc_status db_each_best_or_last(struct db *d, const char *workload, db_best_fn *visit,
				     void *user, struct asc_err *e)
{
	return each(d, false, workload, OF_NOW_OR_LAST, visit, user, e);
}

enum asc_status db_each_best(struct db *d, const char *workload, db_best_fn *visit, void *user,
			     struct asc_err *e)
{
	return each(d, false, workload, OF_NOW, visit, user, e);
}

enum asc_status db_each_best_of_implementations(struct db *d, const char *workload,
						db_best_fn *visit, void *user, struct asc_err *e)
{
	return each(d, true, workload, OF_NOW, visit, user, e);
}

enum asc_status db_each_best_ever(struct db *d, const char *workload, db_best_fn *visit, void *user,
				  struct asc_err *e)
{
	return each(d, false, workload, OF_EVERY_DRIVER, visit, user, e);
}

enum asc_status db_each_best_simulated(struct db *d, const char *workload, db_best_fn *visit,
				       void *user, struct asc_err *e)
{
	return each(d, false, workload, OF_STAND_INS, visit, user, e);
}

enum asc_status db_find_best(struct db *d, int64_t run_id, db_best_fn *visit, void *user,
			     struct asc_err *e)
{
	struct statement run, s;
	struct buf sql = {0};
	bool found = false;

	best_sql_add_subject(&sql);
	if (buf_check(&sql, e)) {
		buf_fini(&sql);
		return e->status;
	}

	statement_begin(&run, d,
			"SELECT device_id, problem_id, cache_policy FROM run WHERE id = ?");
	statement_bind_int(&run, run_id);
	enum asc_status status = statement_step(&run, &found, e);
	if (status == ASC_OK && found) {
		statement_prepare(&s, d, buf_str(&sql));
		statement_bind_int(&s, statement_take_int(&run));
		statement_bind_int(&s, false);
		statement_bind_int(&s, statement_take_int(&run));
		statement_bind_text(&s, statement_take_text(&run));
		status = visit_rows(&s, d, false, visit, user, e);
		statement_drop(&s);
	}
	statement_end(&run);
	buf_fini(&sql);
	return status;
}
