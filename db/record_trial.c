#include "db/db.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "db/connection.h"
#include "db/sample_blob.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/base/hash.h"
#include "tuner/base/utf8.h"

/* ---- rows that many trials share ---- */

struct shared_row {
	const char *find, *add; /* both statements bind alike and return the identifier */
	void (*bind)(struct statement *s, const void *row);
};

/* Looks for the row first, since it nearly always exists. */
static enum asc_status put_shared(struct db *d, const struct shared_row *kind, const void *row,
				  int64_t *id, struct asc_err *e)
{
	struct statement s;
	enum asc_status status;
	bool found;

	statement_begin(&s, d, kind->find);
	kind->bind(&s, row);
	status = statement_run_int(&s, id, &found, e);
	if (status != ASC_OK || found)
		return status;
	statement_begin(&s, d, kind->add);
	kind->bind(&s, row);
	return statement_run_int(&s, id, &found, e);
}

static void bind_implementation(struct statement *s, const void *row)
{
	const struct db_implementation *i = row;

	statement_bind_text(s, i->name);
	statement_bind_text(s, i->key);
	statement_bind_int(s, i->index);
	statement_bind_text(s, i->toolchain);
	statement_bind_text(s, i->options);
	statement_bind_text(s, i->sources);
}

static const struct shared_row implementation_row = {
	/* The key covers toolchain, options and sources, which are bound and not compared. */
	"SELECT id FROM implementation WHERE name = ? AND key = ? AND idx = ?"
	" AND (?, ?, ?) IS NOT (0, 0, 0)",
	"INSERT INTO implementation(name, key, idx, toolchain, options, sources)"
	" VALUES(?, ?, ?, ?, ?, ?) RETURNING id",
	bind_implementation,
};

enum asc_status db_put_implementation(struct db *d, const struct db_implementation *i, int64_t *id,
				      struct asc_err *e)
{
	return put_shared(d, &implementation_row, i, id, e);
}

static void bind_metric_name(struct statement *s, const void *row)
{
	const struct metric *m = row;

	statement_bind_text(s, m->probe);
	statement_bind_text(s, m->name);
	statement_bind_text(s, m->unit);
}

static const struct shared_row metric_name_row = {
	"SELECT id FROM metric_name WHERE probe = ? AND name = ? AND unit = ?",
	"INSERT INTO metric_name(probe, name, unit) VALUES(?, ?, ?) RETURNING id",
	bind_metric_name,
};

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

/* Writes begin and end of each build, from the time at which the run began. */
static void write_builds(const struct result_builds *b, int64_t origin_ns, struct buf *out)
{
	int64_t times[2 * RESULT_MAX_BUILDS];

	for (size_t i = 0; i < b->n; i++) {
		times[2 * i] = b->list[i].begin_ns - origin_ns;
		times[2 * i + 1] = b->list[i].end_ns - origin_ns;
	}
	sample_blob_write(times, 2 * b->n, out);
}

static enum asc_status parts_init(struct parts *p, const struct db_trial *t, struct asc_err *e)
{
	const struct result *r = t->result;
	static const struct escape none[] = {{0, NULL}};

	sample_blob_write(r->samples, r->n_samples, &p->samples);
	if (r->notes)
		sample_blob_write(r->notes, r->n_samples, &p->notes);
	write_builds(&r->builds, t->origin_ns, &p->builds);
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

static void bind_times(struct statement *s, const struct stats_summary *t, bool known)
{
	const double times[] = {t->min, t->q1, t->median, t->q3, t->max};

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		statement_bind_real(s, known ? times[i] : NAN);
}

static void bind_interval(struct statement *s, const struct stats_interval *i)
{
	statement_bind_real(s, i->known ? i->low : NAN);
	statement_bind_real(s, i->known ? i->high : NAN);
}

static void bind_errors(struct statement *s, const struct error_norms *v)
{
	statement_bind_real(s, v->known ? v->max_abs : NAN);
	statement_bind_real(s, v->known ? v->mean_abs : NAN);
	statement_bind_real(s, v->known ? v->max_rel : NAN);
	if (v->known) {
		statement_bind_int(s, v->not_finite);
		statement_bind_int(s, v->bad);
	} else {
		statement_bind_text(s, NULL);
		statement_bind_text(s, NULL);
	}
}

static void bind_clock(struct statement *s, double mhz)
{
	statement_bind_real(s, mhz > 0 ? mhz : NAN);
}

static void bind_notes(struct statement *s, const struct result *r, const struct buf *notes)
{
	bind_interval(s, &r->time.interval);
	if (r->order < 0)
		statement_bind_text(s, NULL);
	else
		statement_bind_int(s, r->order);
	statement_bind_int(s, r->retaken);
	statement_bind_blob(s, notes->len ? notes->data : NULL, notes->len);
	statement_bind_text(s, *r->digest ? r->digest : NULL);
}

static void bind_result(struct statement *s, const struct result *r, const struct parts *p)
{
	statement_bind_text(s, result_status_name(r->status));
	statement_bind_text(s, phase_name(r->phase));
	statement_bind_text(s, r->reason ? buf_str(&p->reason) : NULL);
	statement_bind_chars(s, r->log ? buf_str(&p->log) : NULL, p->log.len);
	statement_bind_text(s, *r->artifact ? r->artifact : NULL);
	statement_bind_int(s, r->cached);
	static_assert(PHASE_COUNT == 4, "one column per phase");
	for (size_t i = 0; i < PHASE_COUNT; i++)
		statement_bind_int(s, r->spent_ns[i]);
	statement_bind_int(s, r->launches_per_sample);
	statement_bind_int(s, (int64_t)r->n_samples);
	statement_bind_blob(s, p->samples.data, p->samples.len);
	bind_times(s, &r->time, r->n_samples > 0);
	bind_errors(s, &r->errors);
	bind_notes(s, r, &p->notes);
}

/* Binds the times at which the trial's parts were done. */
static void bind_spans(struct statement *s, const struct db_trial *t, const struct buf *builds)
{
	if (t->result->begin_ns)
		statement_bind_int(s, t->result->begin_ns - t->origin_ns);
	else
		statement_bind_text(s, NULL);
	statement_bind_blob(s, builds->len ? builds->data : NULL, builds->len);
}

static enum asc_status add_row(struct db *d, int64_t run_id, int64_t implementation_id,
			       const struct db_trial *t, struct asc_err *e)
{
	struct parts parts = {0};
	struct statement s;
	enum asc_status status = parts_init(&parts, t, e);

	statement_begin(
		&s, d,
		"INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json,"
		" rewrites_json, is_default, recorded_ms, clock_mhz, begin_ns, "
		"builds, " DB_RESULT_COLUMNS ")"
		" VALUES(?, ?, ?, ?, ?, ?, ?, coalesce(?8, iif((SELECT imported FROM run"
		"  WHERE id = ?1), ?9, max(?9, " DB_NEWEST_MS "))), ?, ?, ?,"
		" ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
		" ?, ?, ?, ?, ?, ?)");
	statement_bind_int(&s, run_id);
	statement_bind_int(&s, implementation_id);
	statement_bind_int(&s, db_config_hash(t->config_key));
	statement_bind_text(&s, t->config_key);
	statement_bind_text(&s, t->config_json);
	statement_bind_text(&s, t->rewrites_json);
	statement_bind_int(&s, t->is_default);
	if (t->recorded_ms)
		statement_bind_int(&s, t->recorded_ms);
	else
		statement_bind_text(&s, NULL);
	statement_bind_int(&s, db_now_ms());
	bind_clock(&s, result_clock_mhz(t->result->notes, t->result->n_samples, NULL));
	bind_spans(&s, t, &parts.builds);
	bind_result(&s, t->result, &parts);
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

	if (put_shared(d, &metric_name_row, m, &name_id, e))
		return e->status;
	statement_begin(&s, d,
			"INSERT OR REPLACE INTO metric(trial_id, name_id, value) VALUES(?, ?, ?)");
	statement_bind_int(&s, trial_id);
	statement_bind_int(&s, name_id);
	statement_bind_real(&s, m->value);
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
	trial_id = sqlite3_last_insert_rowid(d->sql);
	for (size_t i = 0; status == ASC_OK && i < t->result->n_metrics; i++)
		status = add_metric(d, trial_id, &t->result->metrics[i], e);
	return transaction_end(d, status, e);
}

/* ---- finalists ---- */

static void bind_final(struct statement *s, const struct db_final *f, const struct buf *samples)
{
	statement_bind_int(s, db_config_hash(f->config_key));
	statement_bind_text(s, f->config_key);
	statement_bind_int(s, f->standing == STANDING_TIED);
	statement_bind_int(s, f->winner);
	statement_bind_real(s, f->ratio);
	statement_bind_real(s, f->interval.low);
	statement_bind_real(s, f->interval.high);
	statement_bind_real(s, f->threads);
	statement_bind_real(s, f->memory_bytes);
	statement_bind_int(s, (int64_t)f->n_samples);
	statement_bind_blob(s, samples->data, samples->len);
	bind_times(s, &f->time, true);
	bind_interval(s, &f->time.interval);
	bind_clock(s, f->clock_mhz);
	statement_bind_text(s, standing_recorded_name(f->standing));
}

static enum asc_status add_final(struct db *d, int64_t run_id, int64_t implementation_id,
				 const struct db_final *f, struct asc_err *e)
{
	struct buf samples = {0};
	struct statement s;

	sample_blob_write(f->samples, f->n_samples, &samples);
	statement_begin(
		&s, d,
		"INSERT INTO final(run_id, implementation_id, config_hash, config_key, tied,"
		" winner, ratio, ratio_low, ratio_high, threads, memory_bytes, n_samples,"
		" samples, min_ns, q1_ns, median_ns, q3_ns, max_ns, low_ns, high_ns, clock_mhz,"
		" standing)"
		" VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	statement_bind_int(&s, run_id);
	statement_bind_int(&s, implementation_id);
	bind_final(&s, f, &samples);
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

enum asc_status db_set_sure(struct db *d, int64_t run_id, const struct sureness *v, bool apart,
			    struct asc_err *e)
{
	struct statement s;
	const bool sure = v->sure == SURE_CLEAR || v->sure == SURE_TIE;

	statement_begin(
		&s, d,
		"UPDATE run SET sure = ?2, noise_pct = ?3, decided = nullif(?4, 0) WHERE id = ?1");
	statement_bind_int(&s, run_id);
	statement_bind_text(&s, sure_recorded_name(v->sure));
	statement_bind_real(&s, v->noise_pct);
	statement_bind_int(&s, v->sure == SURE_UNRANKED ? 0 : sure && !apart ? 2 : 1);
	enum asc_status status = statement_run(&s, e);

	return status || sqlite3_changes(d->sql) ? status : db_fail_run(d, run_id, e);
}

enum asc_status db_set_beside(struct db *d, int64_t run_id, int64_t answer_id, struct asc_err *e)
{
	struct statement s;

	/* No weight (NULL): no question asks these finals. One below that of unsure finals is none.
	 */
	statement_begin(&s, d,
			"UPDATE run SET decided = nullif(min(coalesce(decided, 0),"
			"  coalesce((SELECT o.decided FROM run o WHERE o.id = ?2), 1) - 1), 0)"
			" WHERE id = ?1");
	statement_bind_int(&s, run_id);
	statement_bind_int(&s, answer_id);
	return statement_run(&s, e);
}

enum asc_status db_pass_trial(struct db *d, int64_t run_id, const struct db_implementation *i,
			      const char *config_key, struct asc_err *e)
{
	struct statement s;
	int64_t implementation_id = 0;

	if (db_put_implementation(d, i, &implementation_id, e))
		return e->status;
	statement_begin(&s, d,
			"UPDATE trial SET status = 'ok', reason = NULL WHERE id ="
			" (SELECT t.id FROM trial t JOIN run r ON r.id = t.run_id"
			"  JOIN run o ON o.device_id = r.device_id AND o.problem_id = r.problem_id"
			"   AND o.cache_policy IS r.cache_policy"
			"  WHERE o.id = ?1 AND t.implementation_id = ?2 AND t.config_hash = ?3"
			"   AND t.config_key = ?4 AND NOT r.imported AND r.id <= o.id"
			"  ORDER BY r.id = o.id DESC, t.recorded_ms DESC, t.id DESC LIMIT 1)"
			" AND status IN ('undecided', 'slow')");
	statement_bind_int(&s, run_id);
	statement_bind_int(&s, implementation_id);
	statement_bind_int(&s, db_config_hash(config_key));
	statement_bind_text(&s, config_key);
	return statement_run(&s, e);
}
