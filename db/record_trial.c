#include "db/db.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/connection.h"
#include "db/sample_blob.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/base/hash.h"
#include "tuner/base/utf8.h"

/* ---- rows that many trials share ---- */

static bool is_implementation(const struct db *d, const struct db_implementation *i)
{
	return d->implementation.name && d->implementation.key &&
	       d->implementation.index == i->index &&
	       strcmp(d->implementation.name, i->name) == 0 &&
	       strcmp(d->implementation.key, i->key) == 0;
}

/* Keeps the number of an implementation for the rest of the transaction; without memory it is asked
 * for again. */
static void keep_implementation(struct db *d, const struct db_implementation *i, int64_t id)
{
	if (d->depth == 0)
		return;
	if (!is_implementation(d, i)) {
		free(d->implementation.name);
		free(d->implementation.key);
		d->implementation.name = str_dup(i->name);
		d->implementation.key = str_dup(i->key);
		d->implementation.index = i->index;
	}
	d->implementation.id = d->implementation.name && d->implementation.key ? id : 0;
}

enum asc_status db_put_implementation(struct db *d, const struct db_implementation *i, int64_t *id,
				      struct asc_err *e)
{
	struct statement s;
	enum asc_status status;
	bool found;

	if (d->implementation.id && is_implementation(d, i)) {
		*id = d->implementation.id;
		return ASC_OK;
	}
	/* Looked for first, since the row nearly always exists. */
	statement_begin(&s, d, sql_find_implementation);
	statement_set_text(&s, ":name", i->name);
	statement_set_text(&s, ":key", i->key);
	statement_set_int(&s, ":index", i->index);
	status = statement_run_int(&s, id, &found, e);
	if (status == ASC_OK && found)
		keep_implementation(d, i, *id);
	if (status != ASC_OK || found)
		return status;
	statement_begin(&s, d, sql_add_implementation);
	statement_set_text(&s, ":name", i->name);
	statement_set_text(&s, ":key", i->key);
	statement_set_int(&s, ":index", i->index);
	statement_set_text(&s, ":toolchain", i->toolchain);
	statement_set_text(&s, ":options", i->options);
	statement_set_text(&s, ":sources", i->sources);
	return statement_run_int(&s, id, &found, e);
}

enum asc_status db_put_metric_name(struct db *d, const struct metric *m, int64_t *id,
				   struct asc_err *e)
{
	struct statement s;
	bool found = false;

	/* The row nearly always exists, too. */
	for (int i = 0; i < 2 && !found; i++) {
		statement_begin(&s, d, i ? sql_add_metric_name : sql_find_metric_name);
		statement_set_text(&s, ":probe", m->probe);
		statement_set_text(&s, ":name", m->name);
		statement_set_text(&s, ":unit", m->unit);
		if (statement_run_int(&s, id, &found, e))
			return e->status;
	}
	return ASC_OK;
}

/* ---- one trial ---- */

int64_t db_config_hash(const char *config_key)
{
	return (int64_t)hash_bytes(config_key, strlen(config_key));
}

/* Parts of a result in the form in which they are recorded; texts may come from a kernel, which
 * prints what it likes. */
struct parts {
	struct buf samples, notes, builds, reason, log;
};

static enum asc_status parts_init(struct parts *p, const struct db_trial *t, struct asc_err *e)
{
	const struct result *r = t->result;
	static const struct escape none[] = {{0, NULL}};
	int64_t times[2 * RESULT_MAX_BUILDS];

	/* Samples stand once, with the configuration that was measured. */
	if (!t->same_key)
		sample_blob_write(r->samples, r->n_samples, &p->samples);
	if (r->notes && !t->same_key)
		sample_blob_write(r->notes, r->n_samples, &p->notes);
	/* From the begin of the run: differences of small numbers are short in a blob. */
	for (size_t i = 0; i < r->builds.n; i++) {
		times[2 * i] = r->builds.list[i].begin_ns - t->origin_ns;
		times[2 * i + 1] = r->builds.list[i].end_ns - t->origin_ns;
	}
	sample_blob_write(times, 2 * r->builds.n, &p->builds);
	/* Escaping makes valid UTF-8 of any bytes, so that no reader has to; cutting comes after
	 * it, since it makes the text longer. */
	(void)escape_add(&p->reason, r->reason, SIZE_MAX, none);
	(void)escape_add(&p->log, r->log, DB_MAX_LOG, none);
	p->log.len = utf8_cut(buf_str(&p->log), p->log.len, DB_MAX_LOG);
	if (buf_check(&p->samples, e) || buf_check(&p->notes, e) || buf_check(&p->builds, e) ||
	    buf_check(&p->reason, e))
		return e->status;
	return buf_check(&p->log, e);
}

static void parts_fini(struct parts *p)
{
	buf_fini(&p->samples);
	buf_fini(&p->notes);
	buf_fini(&p->builds);
	buf_fini(&p->reason);
	buf_fini(&p->log);
}

static void set_times(struct statement *s, const struct stats_summary *t, bool known)
{
	statement_set_real(s, ":min_ns", known ? t->min : NAN);
	statement_set_real(s, ":q1_ns", known ? t->q1 : NAN);
	statement_set_real(s, ":median_ns", known ? t->median : NAN);
	statement_set_real(s, ":q3_ns", known ? t->q3 : NAN);
	statement_set_real(s, ":max_ns", known ? t->max : NAN);
	statement_set_real(s, ":low_ns", t->interval.known ? t->interval.low : NAN);
	statement_set_real(s, ":high_ns", t->interval.known ? t->interval.high : NAN);
}

static void set_errors(struct statement *s, const struct error_norms *v)
{
	statement_set_real(s, ":max_abs", v->known ? v->max_abs : NAN);
	statement_set_real(s, ":mean_abs", v->known ? v->mean_abs : NAN);
	statement_set_real(s, ":max_rel", v->known ? v->max_rel : NAN);
	if (v->known) {
		statement_set_int(s, ":not_finite", v->not_finite);
		statement_set_int(s, ":bad", v->bad);
	} else {
		statement_set_null(s, ":not_finite");
		statement_set_null(s, ":bad");
	}
}

static void set_clock(struct statement *s, double mhz)
{
	statement_set_real(s, ":clock_mhz", mhz > 0 ? mhz : NAN);
}

static void set_result(struct statement *s, const struct result *r, const struct parts *p)
{
	static const char *const phases[] = {":build_ns", ":load_ns", ":verify_ns", ":measure_ns"};

	statement_set_text(s, ":status", result_status_name(r->status));
	statement_set_text(s, ":phase", phase_name(r->phase));
	statement_set_text(s, ":reason", r->reason ? buf_str(&p->reason) : NULL);
	statement_set_chars(s, ":log", r->log ? buf_str(&p->log) : NULL, p->log.len);
	statement_set_text(s, ":artifact", *r->artifact ? r->artifact : NULL);
	statement_set_int(s, ":cached", r->cached);
	static_assert(PHASE_COUNT == sizeof phases / sizeof *phases, "one column per phase");
	for (size_t i = 0; i < PHASE_COUNT; i++)
		statement_set_int(s, phases[i], r->spent_ns[i]);
	statement_set_int(s, ":launches", r->launches_per_sample);
	statement_set_int(s, ":n_samples", (int64_t)r->n_samples);
	statement_set_blob(s, ":samples", p->samples.data, p->samples.len);
	set_times(s, &r->time, r->n_samples > 0);
	set_errors(s, &r->errors);
	if (r->order < 0)
		statement_set_null(s, ":sample_order");
	else
		statement_set_int(s, ":sample_order", r->order);
	statement_set_int(s, ":retaken", r->retaken);
	statement_set_blob(s, ":notes", p->notes.len ? p->notes.data : NULL, p->notes.len);
	statement_set_text(s, ":digest", *r->digest ? r->digest : NULL);
	statement_set_text(s, ":verified_by",
			   r->verified_by == VERIFIED_NOT ? NULL
							  : verified_by_name(r->verified_by));
	set_clock(s, result_clock_mhz(r->notes, r->n_samples, NULL));
	statement_set_blob(s, ":builds", p->builds.len ? p->builds.data : NULL, p->builds.len);
}

static enum asc_status add_row(struct db *d, int64_t run_id, int64_t implementation_id,
			       const struct db_trial *t, struct asc_err *e)
{
	struct parts parts = {0};
	struct statement s;
	int64_t same_id = 0;
	enum asc_status status = parts_init(&parts, t, e);

	if (status == ASC_OK && t->same_key)
		status = db_put_implementation(d, &t->same_implementation, &same_id, e);

	statement_begin(&s, d, sql_add_trial);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_int(&s, ":implementation_id", implementation_id);
	statement_set_int(&s, ":config_hash", db_config_hash(t->config_key));
	statement_set_text(&s, ":config_key", t->config_key);
	statement_set_text(&s, ":config_json", t->config_json);
	statement_set_text(&s, ":rewrites_json", t->rewrites_json);
	statement_set_int(&s, ":is_default", t->is_default);
	/* Only an import knows when its trials were measured. */
	if (t->recorded_ms)
		statement_set_int(&s, ":recorded_ms", t->recorded_ms);
	else
		statement_set_null(&s, ":recorded_ms");
	statement_set_int(&s, ":now_ms", db_now_ms());
	if (t->result->begin_ns)
		statement_set_int(&s, ":begin_ns", t->result->begin_ns - t->origin_ns);
	else
		statement_set_null(&s, ":begin_ns");
	set_result(&s, t->result, &parts);
	if (t->same_key) {
		statement_set_int(&s, ":same_implementation_id", same_id);
		statement_set_int(&s, ":same_hash", db_config_hash(t->same_key));
	} else {
		statement_set_null(&s, ":same_implementation_id");
		statement_set_null(&s, ":same_hash");
	}
	/* Parts that could not be made are not recorded as empty ones. */
	if (status == ASC_OK)
		status = statement_run(&s, e);
	else
		statement_end(&s);
	parts_fini(&parts);
	return s.code == SQLITE_CONSTRAINT_FOREIGNKEY ? db_fail_run(d, run_id, e) : status;
}

/* Keeps the last of several values of one metric. */
static enum asc_status add_metric(struct db *d, int64_t trial_id, const struct metric *m,
				  struct asc_err *e)
{
	struct statement s;
	int64_t name_id = 0;

	if (db_put_metric_name(d, m, &name_id, e))
		return e->status;
	statement_begin(&s, d, sql_add_metric);
	statement_set_int(&s, ":trial_id", trial_id);
	statement_set_int(&s, ":name_id", name_id);
	statement_set_real(&s, ":value", m->value);
	return statement_run(&s, e);
}

enum asc_status db_add_trial(struct db *d, int64_t run_id, const struct db_trial *t,
			     struct asc_err *e)
{
	int64_t implementation_id = 0, trial_id;
	enum asc_status status = transaction_begin(d, e);

	if (status != ASC_OK)
		return status;
	status = db_put_implementation(d, &t->implementation, &implementation_id, e);
	if (status == ASC_OK)
		status = add_row(d, run_id, implementation_id, t, e);
	/* Before the metrics, whose rows have numbers of their own. */
	trial_id = sqlite3_last_insert_rowid(d->sql);
	for (size_t i = 0; status == ASC_OK && i < t->result->n_metrics; i++)
		status = add_metric(d, trial_id, &t->result->metrics[i], e);
	return transaction_end(d, status, e);
}

/* ---- finalists ---- */

static void set_bits(struct statement *s, const struct result_bits *b)
{
	const bool known = b && *b->digest;

	statement_set_text(s, ":bits", known ? b->digest : NULL);
	statement_set_real(s, ":varied_abs", known && b->varied > 0 ? b->varied_abs : NAN);
	if (known) {
		statement_set_int(s, ":compared", b->compared);
		statement_set_int(s, ":varied", b->varied);
		statement_set_int(s, ":sets", b->sets);
		statement_set_int(s, ":places", b->places);
	} else {
		statement_set_null(s, ":compared");
		statement_set_null(s, ":varied");
		statement_set_null(s, ":sets");
		statement_set_null(s, ":places");
	}
}

static enum asc_status add_final(struct db *d, int64_t run_id, int64_t implementation_id,
				 const struct db_final *f, struct asc_err *e)
{
	struct buf samples = {0};
	struct statement s;

	sample_blob_write(f->samples, f->n_samples, &samples);
	statement_begin(&s, d, sql_add_final);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_int(&s, ":implementation_id", implementation_id);
	statement_set_int(&s, ":config_hash", db_config_hash(f->config_key));
	statement_set_text(&s, ":config_key", f->config_key);
	statement_set_int(&s, ":tied", f->standing == STANDING_TIED);
	statement_set_int(&s, ":winner", f->winner);
	statement_set_real(&s, ":ratio", f->ratio);
	statement_set_real(&s, ":ratio_low", f->interval.low);
	statement_set_real(&s, ":ratio_high", f->interval.high);
	statement_set_real(&s, ":threads", f->threads);
	statement_set_real(&s, ":memory_bytes", f->memory_bytes);
	statement_set_int(&s, ":n_samples", (int64_t)f->n_samples);
	statement_set_blob(&s, ":samples", samples.data, samples.len);
	set_times(&s, &f->time, true);
	set_clock(&s, f->clock_mhz);
	statement_set_text(&s, ":standing", standing_recorded_name(f->standing));
	set_bits(&s, f->bits);
	enum asc_status status = buf_check(&samples, e);
	if (status == ASC_OK)
		status = statement_run(&s, e);
	else
		statement_end(&s);
	buf_fini(&samples);
	return s.code == SQLITE_CONSTRAINT_FOREIGNKEY ? db_fail_run(d, run_id, e) : status;
}

enum asc_status db_add_final(struct db *d, int64_t run_id, const struct db_final *f,
			     struct asc_err *e)
{
	int64_t implementation_id = 0;
	enum asc_status status = transaction_begin(d, e);

	if (status != ASC_OK)
		return status;
	status = db_put_implementation(d, &f->implementation, &implementation_id, e);
	if (status == ASC_OK)
		status = add_final(d, run_id, implementation_id, f, e);
	return transaction_end(d, status, e);
}

enum asc_status db_set_sure(struct db *d, int64_t run_id, const struct sureness *v,
			    enum db_weight weight, struct asc_err *e)
{
	struct statement s;
	const bool sure = v->sure == SURE_CLEAR || v->sure == SURE_TIE;
	const bool decides = weight == DB_WEIGHS_ASKED || (weight == DB_WEIGHS_SURE && sure);

	statement_begin(&s, d, sql_set_sure);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_text(&s, ":sure", sure_recorded_name(v->sure));
	statement_set_real(&s, ":noise_pct", v->noise_pct);
	statement_set_int(&s, ":decided", v->sure == SURE_UNRANKED ? 0 : decides ? 2 : 1);
	enum asc_status status = statement_run(&s, e);

	return status || sqlite3_changes(d->sql) ? status : db_fail_run(d, run_id, e);
}

enum asc_status db_set_beside(struct db *d, int64_t run_id, int64_t answer_id, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_set_beside);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_int(&s, ":answer_id", answer_id);
	return statement_run(&s, e);
}

enum asc_status db_pass_trial(struct db *d, int64_t run_id, const struct db_implementation *i,
			      const char *config_key, struct asc_err *e)
{
	struct statement s;
	int64_t implementation_id = 0;

	if (db_put_implementation(d, i, &implementation_id, e))
		return e->status;
	statement_begin(&s, d, sql_pass_trial);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_int(&s, ":implementation_id", implementation_id);
	statement_set_int(&s, ":config_hash", db_config_hash(config_key));
	statement_set_text(&s, ":config_key", config_key);
	return statement_run(&s, e);
}
