/* The exporter `t4`: recorded results in the FAIR autotuning "T4" format, a file for each problem,
 * implementation, device and cache policy. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "db/db.h"
#include "db/run_view.h"
#include "reports/exchange/formats/t4.h"
#include "reports/results/today.h"
#include "reports/tables/best_json.h"
#include "reports/tables/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"

#define SCHEMA_VERSION "1.0.0" /* version of the T4 format */

/* The file in the making. */
struct document {
	struct db *db;
	int64_t run_id;            /* newest run of its records */
	struct buf implementation; /* of its records */
	const struct sink_kind *kind;
	struct sink *to;
	struct buf subject; /* members of the document that are equal for all records, JSON; "": no
			       document yet */
	struct buf name;    /* name of the file */
	struct buf text, own_text;
	struct json_writer whole, own; /* open inside results; inside statuses */
};

/* ---- one record ---- */

static void write_times(struct json_writer *w, const struct db_record *r)
{
	json_write_begin(w, "times", '{');
	json_write_real(w, "compilation", t4_ms((double)r->build_ns));
	json_write_real(w, "benchmark", t4_ms((double)r->measure_ns));
	json_write_real(w, "framework", t4_ms((double)r->load_ns));
	json_write_real(w, "search_algorithm", 0); /* not recorded by itself */
	json_write_real(w, "validation", t4_ms((double)r->verify_ns));
	json_write_begin(w, "runtimes", '[');
	for (int64_t i = 0; r->samples && i < r->n_samples; i++)
		json_write_real(w, NULL, t4_ms((double)r->samples[i]));
	json_write_end(w, ']');
	json_write_end(w, '}');
}

static void write_measurements(struct json_writer *w, const struct db_record *r, bool correct)
{
	json_write_begin(w, "measurements", '[');
	if (correct && !isnan(r->median_ns)) {
		json_write_begin(w, NULL, '{');
		json_write_string(w, "name", "time");
		json_write_real(w, "value", t4_ms(r->median_ns));
		json_write_string(w, "unit", "ms");
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
	json_write_begin(w, "objectives", '[');
	json_write_string(w, NULL, "time");
	json_write_end(w, ']');
}

/* Writes a time with an offset, as Python does: readers of the format expect it. */
static void write_timestamp(struct json_writer *w, const char *at)
{
	struct buf text = {0};
	size_t n = strlen(at);

	buf_add(&text, at, n > 0 && at[n - 1] == 'Z' ? n - 1 : n);
	buf_add_str(&text, n > 0 && at[n - 1] == 'Z' ? "+00:00" : "");
	json_write_string(w, "timestamp", buf_str(&text));
	buf_fini(&text);
}

static enum asc_status write_record(struct json_writer *w, const struct db_record *r,
				    const char *word, struct asc_err *e)
{
	bool correct = strcmp(word, "correct") == 0;

	json_write_begin(w, NULL, '{');
	write_timestamp(w, r->recorded_at);
	if (field_json_write_text(w, "configuration", r->config_json, e))
		return e->status;
	write_times(w, r);
	json_write_string(w, "invalidity", word);
	json_write_int(w, "correctness", correct);
	write_measurements(w, r, correct);
	json_write_end(w, '}');
	return ASC_OK;
}

/* True if a reader of the word alone has the whole status. */
static bool is_told(const struct db_record *r, const char *word)
{
	enum result_status status;
	enum phase phase;

	return t4_invalidity_parse(word, &status, &phase) &&
	       strcmp(result_status_name(status), r->status) == 0 &&
	       strcmp(phase_name(phase), r->phase) == 0 && !r->reason && !r->is_default;
}

/* Writes the part of a status that the format's word does not cover; null when there is none. */
static void write_status(struct json_writer *w, const struct db_record *r, const char *word)
{
	/* One entry for each result, so that both lists go side by side. */
	if (is_told(r, word)) {
		json_write_string(w, NULL, NULL);
		return;
	}
	json_write_begin(w, NULL, '{');
	json_write_string(w, "status", r->status);
	json_write_string(w, "phase", r->phase);
	if (r->reason)
		json_write_string(w, "reason", r->reason);
	if (r->is_default)
		json_write_bool(w, "default", true);
	json_write_end(w, '}');
}

/* ---- one document ---- */

static bool is_known(const struct db_field *f, const struct db_record *r)
{
	const void *member = (const char *)r + f->offset;

	switch (f->kind) {
	case DB_FIELD_TEXT:
	case DB_FIELD_JSON: return *(const char *const *)member;
	case DB_FIELD_AMOUNT: return *(const double *)member != 0;
	default: return true;
	}
}

/* Writes members of an open object. */
static enum asc_status write_subject(struct json_writer *w, const struct db_record *r,
				     struct asc_err *e)
{
	for (const struct db_field *f = db_record_fields; f->name; f++)
		if (f->subject && is_known(f, r) && field_json_write(w, f, r, e))
			return e->status;
	return buf_check(w->out, e);
}

/* Takes over `subject`. */
static enum asc_status begin(struct document *d, const struct db_record *r, struct buf *subject,
			     struct asc_err *e)
{
	buf_fini(&d->subject);
	d->subject = *subject;
	*subject = (struct buf){0};
	/* With a hash of all members of the subject: names alone may be equal, once cut. */
	buf_clear(&d->name);
	sink_add_name(&d->name, r->workload);
	sink_add_name(&d->name, r->problem);
	sink_add_name(&d->name, r->implementation);
	sink_add_name(&d->name, r->device_model ? r->device_model : r->device_kind);
	sink_add_name(&d->name, r->cache_policy);
	buf_print(&d->name, "-%016" PRIx64 "_T4.json", hash_bytes(d->subject.data, d->subject.len));
	d->run_id = 0;
	buf_clear(&d->implementation);
	buf_add_str(&d->implementation, r->implementation);
	buf_clear(&d->text);
	buf_clear(&d->own_text);
	d->whole = (struct json_writer){&d->text, false};
	json_write_begin(&d->whole, NULL, '{');
	json_write_begin(&d->whole, "results", '[');
	if (sink_add(d->to, d->kind, buf_str(&d->name), &d->text, e))
		return e->status;
	buf_clear(&d->text);
	d->own = (struct json_writer){&d->own_text, false};
	json_write_begin(&d->own, NULL, '{');
	if (write_subject(&d->own, r, e))
		return e->status;
	json_write_begin(&d->own, "statuses", '[');
	return buf_check(&d->name, e);
}

/* A db_space_count_fn: writes how many configurations are valid, so that a reader knows whether it
 * has all of them. */
static enum asc_status write_valid(void *user, const char *implementation,
				   const struct db_space_count *c, struct asc_err *e)
{
	struct document *d = user;

	(void)e;
	/* A double that holds the number exactly is a whole number in JSON. */
	if (strcmp(c->kind, "valid") == 0 &&
	    strcmp(implementation, buf_str(&d->implementation)) == 0 && c->configurations > 0 &&
	    c->configurations < 0x1p53)
		json_write_int(&d->own, "configurations", (int64_t)c->configurations);
	return ASC_OK;
}

static enum asc_status end(struct document *d, struct asc_err *e)
{
	struct json_writer *w = &d->whole;

	if (d->subject.len == 0)
		return ASC_OK;
	json_write_end(&d->own, ']');
	if (db_each_space_count(d->db, d->run_id, write_valid, d, e) ||
	    buf_check(&d->implementation, e))
		return e->status;
	json_write_end(&d->own, '}');
	buf_add_char(&d->text, '\n');
	json_write_end(w, ']');
	json_write_string(w, "schema_version", SCHEMA_VERSION);
	json_write_begin(w, "metadata", '{');
	json_write_string(w, "timeunit", "milliseconds");
	json_write_end(w, '}');
	json_write_made(w, T4_OWN_KEY, buf_str(&d->own_text));
	json_write_end(w, '}');
	buf_add_char(&d->text, '\n');
	return buf_check(&d->own_text, e) ? e->status : sink_append(d->to, &d->text, e);
}

/* Ends the document and begins the next one if a record has another subject: records come sorted by
 * it. */
static enum asc_status turn_to(struct document *d, const struct db_record *r, struct asc_err *e)
{
	struct buf subject = {0};
	struct json_writer w = {&subject, false};
	enum asc_status status = write_subject(&w, r, e);

	if (status == ASC_OK && strcmp(buf_str(&subject), buf_str(&d->subject)) != 0) {
		status = end(d, e);
		if (status == ASC_OK)
			status = begin(d, r, &subject, e);
	}
	buf_fini(&subject);
	return status;
}

static enum asc_status add_record(void *user, const struct db_record *r, struct asc_err *e)
{
	struct document *d = user;
	enum result_status status;
	const char *word = result_status_parse(r->status, &status) ? t4_invalidity(status) : NULL;

	if (!word) /* planned, and not run: the format has no word for it */
		return ASC_OK;
	if (turn_to(d, r, e))
		return e->status;
	/* The newest run has the newest count of the space. */
	d->run_id = r->run_id > d->run_id ? r->run_id : d->run_id;
	buf_add_char(&d->text, '\n');
	if (write_record(&d->whole, r, word, e))
		return asc_err_wrap(e, "trial %" PRId64, r->trial_id);
	write_status(&d->own, r, word);
	return d->text.len >= SINK_PART_BYTES ? sink_append(d->to, &d->text, e)
					      : buf_check(&d->text, e);
}

static enum asc_status export_t4(const struct exporter_ops *self, const struct export_request *r,
				 struct sink *to, struct asc_err *e)
{
	const struct db_records newest = {.simulated = r->simulated, .newest = true};
	struct document d = {.db = r->db, .kind = &self->kind, .to = to};
	enum asc_status status = today_each_record(r->db, &newest, add_record, &d, e);

	if (status == ASC_OK)
		status = end(&d, e);
	if (status == ASC_OK && d.subject.len == 0)
		status = exporter_fail_empty(r, e);
	buf_fini(&d.implementation);
	buf_fini(&d.subject);
	buf_fini(&d.name);
	buf_fini(&d.text);
	buf_fini(&d.own_text);
	return status;
}

const struct exporter_ops t4_exporter = {
	.name = "t4",
	.summary = "*_T4.json: the newest result of every configuration, as Kernel Tuner writes "
		   "them",
	.needs = EXPORT_TRIALS,
	.simulated = true,
	.kind = {.begins = "{\"results\":[\n{\"timestamp\":"},
	.write = export_t4,
};
