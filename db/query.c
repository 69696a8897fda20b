#include "db/db.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/connection.h"
#include "db/run_view.h"
#include "db/sample_blob.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"

/* ---- one trial ---- */

static enum asc_status take_copy(struct statement *s, char **out, struct asc_err *e)
{
	const char *text = statement_take_text(s);

	*out = text ? str_dup(text) : NULL;
	return text && !*out ? asc_err_nomem(e) : ASC_OK;
}

static enum asc_status take_status(struct statement *s, struct result *r, struct asc_err *e)
{
	const char *status = statement_take_text(s), *phase = statement_take_text(s);

	if (status && phase && result_status_parse(status, &r->status) &&
	    phase_parse(phase, &r->phase))
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT, "a trial has the unknown status \"%s\" or phase \"%s\"",
			   status ? status : "", phase ? phase : "");
}

/* Takes a text that is no longer than its room; one of a damaged database is left out. */
static void take_key(struct statement *s, char *out, size_t size)
{
	const char *text = statement_take_text(s);

	if (text && strlen(text) < size)
		memcpy(out, text, strlen(text) + 1);
}

/* Takes samples and their summary. Of `recorded` samples that were pruned (db/prune.h) the median
 * is one that stands for all. */
static enum asc_status take_samples(struct statement *s, int64_t recorded, struct result *r,
				    struct asc_err *e)
{
	struct stats_summary *t = &r->time;
	double *const times[] = {&t->min, &t->q1, &t->median, &t->q3, &t->max};
	size_t bytes;
	const void *data = statement_take_blob(s, &bytes);

	if (sample_blob_read(data, bytes, &r->samples, &r->n_samples, e))
		return e->status;
	const bool pruned = !data && recorded > 0;

	t->n = pruned ? (size_t)recorded : r->n_samples;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		double ns = statement_take_real(s);

		*times[i] = t->n ? ns : 0; /* NULL without samples, which is NaN */
	}
	if (!pruned)
		return ASC_OK;
	free(r->samples);
	r->samples = malloc(sizeof *r->samples);
	if (!r->samples)
		return asc_err_nomem(e);
	r->samples[0] = isfinite(t->median) ? llround(t->median) : 0;
	r->n_samples = 1;
	return ASC_OK;
}

static void take_errors(struct statement *s, struct error_norms *v)
{
	double max_abs = statement_take_real(s), mean_abs = statement_take_real(s);
	double max_rel = statement_take_real(s);

	v->known = !statement_next_is_null(s);
	int64_t not_finite = statement_take_int(s), bad = statement_take_int(s);
	if (!v->known)
		return;
	v->max_abs = max_abs;
	v->mean_abs = mean_abs;
	v->max_rel = max_rel;
	v->not_finite = not_finite;
	v->bad = bad;
}

static enum asc_status take_notes(struct statement *s, struct result *r, struct asc_err *e)
{
	struct stats_interval *i = &r->time.interval;
	size_t bytes, n = 0;

	i->known = !statement_next_is_null(s);
	double low = statement_take_real(s), high = statement_take_real(s);
	if (i->known) {
		i->low = low;
		i->high = high;
	}
	r->order = statement_next_is_null(s) ? -1 : 0; /* -1: not recorded */
	r->order += statement_take_int(s);             /* NULL is 0 */
	r->retaken = statement_take_int(s);
	const void *data = statement_take_blob(s, &bytes);
	if (!data)
		return ASC_OK;
	if (sample_blob_read(data, bytes, &r->notes, &n, e))
		return e->status;
	return n == r->n_samples
		       ? ASC_OK
		       : asc_err_set(e, ASC_INPUT, "%zu notes of %zu samples", n, r->n_samples);
}

static enum asc_status take_result(struct statement *s, struct result *r, struct asc_err *e)
{
	if (take_status(s, r, e) || take_copy(s, &r->reason, e) || take_copy(s, &r->log, e))
		return e->status;
	take_key(s, r->artifact, sizeof r->artifact);
	r->cached = statement_take_int(s);
	for (size_t i = 0; i < PHASE_COUNT; i++)
		r->spent_ns[i] = statement_take_int(s);
	r->launches_per_sample = statement_take_int(s);
	const int64_t recorded = statement_take_int(s);

	if (take_samples(s, recorded, r, e))
		return e->status;
	take_errors(s, &r->errors);
	if (take_notes(s, r, e))
		return e->status;
	take_key(s, r->digest, sizeof r->digest);
	const char *by = statement_take_text(s);

	/* A word of a newer version, in a merged file, is as good as none. */
	if (!by || !verified_by_parse(by, &r->verified_by))
		r->verified_by = VERIFIED_NOT;
	r->same.search = SIZE_MAX; /* number and index are a running search's */
	return take_copy(s, &r->same.as, e);
}

/* Names of a merged database may be longer than their room: `room` has the beginning then. */
static const char *cut_name(const char *name, char *room, size_t size)
{
	size_t n = strlen(name), kept = utf8_cut(name, n, size - sizeof "...");

	if (n < size)
		return name;
	(void)snprintf(room, size, "%.*s...", (int)kept, name);
	return room;
}

static enum asc_status add_metrics(struct db *d, int64_t trial_id, struct result *r,
				   struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_result_metric);
	statement_set_int(&s, ":trial_id", trial_id);
	while (statement_next(&s, &status, e)) {
		const char *probe = statement_take_text(&s), *name = statement_take_text(&s);
		const char *unit = statement_take_text(&s);
		struct metric cut;

		status = result_add_metric(r, cut_name(probe, cut.probe, sizeof cut.probe),
					   cut_name(name, cut.name, sizeof cut.name),
					   statement_take_real(&s),
					   cut_name(unit, cut.unit, sizeof cut.unit), e);
	}
	return status;
}

enum asc_status db_find_alike(struct db *d, const struct db_alike *to, int64_t *run_id, bool *found,
			      struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_find_alike);
	statement_set_text(&s, ":fingerprint", to->fingerprint);
	statement_set_text(&s, ":workload", to->workload);
	statement_set_text(&s, ":problem", to->problem);
	statement_set_text(&s, ":problem_key", to->problem_key);
	statement_set_text(&s, ":cache_policy", to->cache_policy);
	statement_set_text(&s, ":policy_json", to->policy_json);
	statement_set_text(&s, ":implementation", to->implementation);
	statement_set_text(&s, ":implementation_key", to->implementation_key);
	return statement_run_int(&s, run_id, found, e);
}

enum asc_status db_find_trial(struct db *d, const struct db_wanted *wanted, struct result *out,
			      bool *found, struct asc_err *e)
{
	struct statement s;
	enum asc_status status;
	int64_t trial_id = 0;

	result_init(out);
	statement_begin(&s, d, sql_find_result);
	statement_set_int(&s, ":run_id", wanted->run_id);
	statement_set_text(&s, ":implementation", wanted->implementation);
	statement_set_text(&s, ":implementation_key", wanted->implementation_key);
	statement_set_int(&s, ":config_hash", db_config_hash(wanted->config_key));
	statement_set_text(&s, ":config_key", wanted->config_key);
	status = statement_step(&s, found, e);
	if (status == ASC_OK && *found) {
		trial_id = statement_take_int(&s);
		status = take_result(&s, out, e);
	}
	statement_end(&s);
	if (status == ASC_OK && *found)
		status = add_metrics(d, trial_id, out, e);
	if (status == ASC_OK)
		return ASC_OK;
	result_fini(out);
	result_init(out);
	return trial_id ? asc_err_wrap(e, "%s: trial %" PRId64, d->path, trial_id) : status;
}

enum asc_status db_each_recorded(struct db *d, const struct db_wanted *wanted,
				 db_recorded_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_recorded);
	statement_set_int(&s, ":run_id", wanted->run_id);
	statement_set_text(&s, ":implementation", wanted->implementation);
	statement_set_text(&s, ":implementation_key", wanted->implementation_key);
	while (statement_next(&s, &status, e)) {
		const char *config_key = statement_take_text(&s);

		status = visit(user, config_key, statement_take_int(&s), e);
	}
	return status;
}

static enum asc_status take_trial(struct statement *s, struct result *out, struct buf *rewrites,
				  struct asc_err *e)
{
	const char *text = statement_take_text(s);

	if (text)
		buf_add_str(rewrites, text);
	return take_result(s, out, e) ? e->status : buf_check(rewrites, e);
}

enum asc_status db_get_trial(struct db *d, int64_t trial_id, struct result *out,
			     struct buf *rewrites, struct asc_err *e)
{
	struct statement s;
	bool row = false;

	result_init(out);
	statement_begin(&s, d, sql_get_result);
	statement_set_int(&s, ":trial_id", trial_id);
	enum asc_status status = statement_step(&s, &row, e);
	if (status == ASC_OK && !row)
		status = asc_err_set(e, ASC_NOTFOUND, "no such trial");
	if (status == ASC_OK)
		status = take_trial(&s, out, rewrites, e);
	statement_end(&s);
	if (status == ASC_OK)
		status = add_metrics(d, trial_id, out, e);
	if (status == ASC_OK)
		return ASC_OK;
	result_fini(out);
	result_init(out);
	return asc_err_wrap(e, "%s: trial %" PRId64, d->path, trial_id);
}
