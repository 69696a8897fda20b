/* Import of results.
 *
 * A file is opened by its importer and read once to its end, so that a damaged one fails before the
 * first row is written; its records are kept in a file without a name, in the form in which the
 * database takes them. Then each of its subjects becomes a run, in one transaction; a subject whose
 * results the database has, under the same names, is left out. */
#include "reports/exchange/import.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/exchange/importer.h"
#include "tuner/base/buf.h"
#include "tuner/base/gunzip.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/base/long_text.h"

enum { MAX_BYTES = 512 << 20 }; /* unpacked: a small archive must not fill the memory */

struct import {
	char *name; /* name of the file, without folder and endings */
	struct long_text text;
	const struct importer_ops *ops;
	void *file;
	struct long_text kept; /* records of all subjects (struct kept) */
	size_t *ends;          /* of the records of each subject, in `kept` */
};

/* A record as it is kept. Behind its samples are the key of its configuration, the same as JSON,
 * and the reason of a failure, each with its NUL. */
struct kept {
	size_t bytes; /* of all, so that the next one is aligned */
	size_t n_samples, key_bytes, json_bytes;
	int64_t recorded_ms, spent_ns[PHASE_COUNT];
	struct stats_summary time;
	enum result_status status;
	enum phase phase;
	bool is_default, has_reason;
	int64_t samples[];
};

/* Rows that the results are recorded under. */
struct rows {
	struct db *db;
	const struct import_names *names;
	const char *name; /* name of the file */
	struct db_device device;
	struct db_problem problem;
	struct db_implementation implementation;
	struct db_run run;
	char uid[HASH_TEXT_SIZE], first_uid[HASH_TEXT_SIZE]; /* of this subject, of the first */
	int64_t run_id;
	struct import_summary *summary;
};

/* ---- what the results are of ---- */

static const char *or_else(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

static void set_subject(struct rows *i, const struct t4_subject *s)
{
	const char *device = or_else(i->names->device, i->name),
		   *model = or_else(s->device_model, device);

	/* A device that a file does not state has the file's name, so that two files do not mix by
	 * chance. */
	i->device = (struct db_device){.kind = or_else(s->device_kind, "unknown"),
				       .model = model,
				       .arch = s->device_arch,
				       .driver = s->device_driver,
				       .fingerprint = or_else(s->device_fingerprint, model),
				       .clock = s->clock};
	i->problem = (struct db_problem){
		.workload = or_else(s->workload, or_else(i->names->workload, i->name)),
		.operator_name = s->operator_name,
		.problem = or_else(s->problem, "imported"),
		.problem_key = or_else(s->problem_key, "imported"),
		.dims_json = s->problem_json,
		.flops = s->flops,
		.bytes = s->bytes};
	i->implementation =
		(struct db_implementation){.name = or_else(s->implementation, "imported"),
					   .index = s->implementation_index,
					   .key = or_else(s->implementation_key, "imported")};
}

/* Sets the run's uid: a content key of the results and of the names they are recorded under, so
 * that a file is known wherever it lies. The first subject has no number in its key, as files of
 * one subject had it before there were others. */
static enum asc_status set_uid(struct rows *i, struct long_text *text, size_t subject,
			       struct asc_err *e)
{
	struct hash h;

	hash_init(&h);
	hash_add_long(&h, text);
	hash_add_str(&h, i->problem.workload);
	hash_add_str(&h, i->device.fingerprint);
	hash_add_str(&h, i->device.model);
	if (subject > 0)
		hash_add(&h, &(uint64_t){subject}, sizeof(uint64_t));
	return hash_end(&h, i->uid, e);
}

/* ---- the results ---- */

/* Records one that was kept. */
static enum asc_status add_record(struct rows *i, const struct kept *k, struct asc_err *e)
{
	const char *key = (const char *)(k->samples + k->n_samples);
	const char *json = key + k->key_bytes, *reason = json + k->json_bytes;
	const int64_t *samples = k->samples;
	struct result r;

	result_init(&r);
	r.status = k->status;
	r.phase = k->phase;
	/* The mapping is for reading, as the database only reads the result. */
	if (k->has_reason)
		memcpy(&r.reason, &reason, sizeof r.reason);
	memcpy(&r.samples, &samples, sizeof r.samples);
	memcpy(r.spent_ns, k->spent_ns, sizeof r.spent_ns);
	r.n_samples = k->n_samples;
	r.time = k->time;
	const struct db_trial trial = {.implementation = i->implementation,
				       .config_json = json,
				       .config_key = key,
				       .is_default = k->is_default,
				       .recorded_ms = k->recorded_ms,
				       .result = &r};

	i->summary->results++;
	i->summary->ok += r.status == RESULT_OK;
	return db_add_trial(i->db, i->run_id, &trial, e);
}

static enum asc_status add_records(struct rows *i, struct import *from, size_t subject,
				   struct asc_err *e)
{
	size_t at = subject > 0 ? from->ends[subject - 1] : 0;
	enum asc_status status = ASC_OK;

	while (at < from->ends[subject] && status == ASC_OK) {
		const struct kept *k = (const struct kept *)(const void *)(from->kept.data + at);

		status = add_record(i, k, e);
		at += k->bytes;
		long_text_reach(&from->kept, at);
	}
	return status;
}

/* Records the results of one subject. */
static enum asc_status record_subject(struct rows *i, struct import *from, size_t subject,
				      struct asc_err *e)
{
	const struct t4_subject *s = from->ops->subject(from->file, subject);
	struct buf values = {0}, source = {0};
	struct json_writer w = {&source, false};
	bool known = false;

	set_subject(i, s);
	if (set_uid(i, &from->text, subject, e))
		return e->status;
	if (subject == 0)
		memcpy(i->first_uid, i->uid, sizeof i->first_uid);
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "imported", from->name);
	/* Rows of one version of a table, which replaces all of those before. */
	if (from->ops->untimed)
		json_write_string(&w, "first", i->first_uid);
	json_write_end(&w, '}');
	if (s->problem_values) {
		json_write_node(&(struct json_writer){&values, false}, NULL, s->problem_values);
		i->problem.dims_json = buf_str(&values);
	}
	i->run = (struct db_run){.version = i->names->version,
				 .strategy = "import",
				 .policy_json = buf_str(&source),
				 .cache_policy = s->cache_policy,
				 .simulated = true,
				 .imported = true,
				 .uid = i->uid,
				 .implementations = &i->implementation,
				 .n_implementations = 1};
	/* The same results under the same names may be in the database already: nothing to do. */
	enum asc_status status = buf_check(&values, e) || buf_check(&source, e)
					 ? e->status
					 : db_find_run(i->db, i->uid, &known, e);

	if (status == ASC_OK && !known) {
		i->summary->known = false;
		status = db_begin_run(i->db, &i->device, &i->problem, &i->run, &i->run_id, e);
		if (status == ASC_OK && s->configurations > 0)
			status = db_add_space(
				i->db, i->run_id, &i->implementation,
				&(struct db_space_count){"valid", NULL, NULL, s->configurations}, 1,
				e);
		/* Ended before its rows come: SQLite works out the checksums of all pages again
		 * that it has written between two states of the run's. */
		if (status == ASC_OK)
			status = db_end_run(i->db, i->run_id, "done", e);
		if (status == ASC_OK)
			status = add_records(i, from, subject, e);
	}
	buf_fini(&values);
	buf_fini(&source);
	return status;
}

static size_t count_subjects(const struct import *i)
{
	return i->ops->count ? i->ops->count(i->file) : 1;
}

enum asc_status import_record(struct import *from, struct db *d, const struct import_names *names,
			      struct import_summary *out, struct asc_err *e)
{
	struct rows i = {.db = d, .names = names, .name = from->name, .summary = out};
	enum asc_status status = db_begin_import(d, e);

	*out = (struct import_summary){.known = true, .untimed = from->ops->untimed};
	if (status != ASC_OK)
		return status;
	for (size_t k = 0; k < count_subjects(from) && status == ASC_OK; k++)
		status = record_subject(&i, from, k, e);
	return db_end_batch(d, status, e);
}

/* ---- the file ---- */

struct keeping {
	struct long_text *to;
	struct buf key, json, record; /* of the present one */
};

static void print_config(struct keeping *k, const struct t4_record *record)
{
	struct json_writer w = {&k->json, false};

	buf_clear(&k->json);
	json_write_begin(&w, NULL, '{');
	for (size_t i = 0; i < record->config.n; i++)
		json_write_value(&w, record->names[i], record->config.values[i]);
	json_write_end(&w, '}');
	buf_clear(&k->key);
	config_key(&record->config, record->names, &k->key);
}

static enum asc_status keep_record(void *user, const struct t4_record *record, struct asc_err *e)
{
	struct keeping *k = user;
	const struct result *r = &record->result;
	const size_t reason_bytes = r->reason ? strlen(r->reason) + 1 : 0;

	/* Importers know no more of a result. */
	assert(!r->log && !r->notes && !r->metrics && r->builds.n == 0 && !r->errors.known &&
	       r->order < 0 && r->launches_per_sample == 1);
	print_config(k, record);
	if (buf_check(&k->key, e) || buf_check(&k->json, e))
		return e->status;
	struct kept head = {.n_samples = r->n_samples,
			    .key_bytes = k->key.len + 1,
			    .json_bytes = k->json.len + 1,
			    .recorded_ms = record->recorded_ms,
			    .time = r->time,
			    .status = r->status,
			    .phase = r->phase,
			    .is_default = record->is_default,
			    .has_reason = r->reason};
	const size_t samples_bytes = r->n_samples * sizeof *r->samples;
	const size_t bytes = sizeof head + samples_bytes + head.key_bytes + head.json_bytes +
			     reason_bytes,
		     unit = _Alignof(struct kept);

	head.bytes = (bytes + unit - 1) / unit * unit;
	memcpy(head.spent_ns, r->spent_ns, sizeof head.spent_ns);
	buf_clear(&k->record);
	buf_add(&k->record, &head, sizeof head);
	buf_add(&k->record, r->samples, samples_bytes);
	buf_add(&k->record, buf_str(&k->key), head.key_bytes);
	buf_add(&k->record, buf_str(&k->json), head.json_bytes);
	buf_add(&k->record, r->reason, reason_bytes);
	buf_add(&k->record, (const char[_Alignof(struct kept)]){0}, head.bytes - bytes);
	return buf_check(&k->record, e)
		       ? e->status
		       : long_text_add(k->to, buf_str(&k->record), k->record.len, e);
}

/* Reads all records, so that what is wrong with the last one is said before the first one is
 * recorded. */
static enum asc_status keep_records(struct import *i, struct asc_err *e)
{
	const size_t n = count_subjects(i);
	struct keeping k = {.to = &i->kept};
	enum asc_status status = ASC_OK;

	i->ends = calloc(n + 1, sizeof *i->ends);
	if (!i->ends)
		return asc_err_nomem(e);
	for (size_t s = 0; s < n && status == ASC_OK; s++) {
		status = i->ops->each(i->file, s, keep_record, &k, e);
		i->ends[s] = i->kept.len;
	}
	if (i->ops->end_records)
		i->ops->end_records(i->file);
	buf_fini(&k.key);
	buf_fini(&k.json);
	buf_fini(&k.record);
	return status ? status : long_text_map(&i->kept, e);
}

/* Opens the content by an importer, or by the one that recognises it. */
static enum asc_status open_content(struct import *i, const char *path, struct asc_err *e)
{
	struct import_content c = {.path = path, .text = i->text.data, .len = i->text.len};
	const char first = c.text[strspn(c.text, " \t\r\n")];

	if (!i->ops)
		i->ops = importer_find_named(path);
	/* A text that begins as JSON is read as such, so that a damaged one is called damaged. Of a
	 * file of results one is held at a time; it is told by members of its root alone. */
	const bool json = i->ops ? i->ops->json : first == '{' || first == '[';
	const struct importer_ops *of_rows = i->ops ? i->ops : importer_list[0];

	if (json && json_open_rows_text(path, &i->text, &c.doc, e))
		return e->status;
	if (json && !(of_rows->rows && of_rows->recognise(&c))) {
		json_close(c.doc);
		c.doc = NULL;
		if (json_open_text(path, c.text, c.len, &c.doc, e))
			return e->status;
	}
	if (i->ops && !i->ops->recognise(&c)) {
		json_close(c.doc);
		return asc_err_set(e, ASC_INPUT, "%s: expected %s", path, i->ops->summary);
	}
	if (!i->ops)
		i->ops = importer_choose(&c);
	return i->ops->open(&c, &i->file, e);
}

enum asc_status import_open(const char *path, const struct importer_ops *ops, struct import **out,
			    struct asc_err *e)
{
	struct import *i = calloc(1, sizeof *i);
	enum asc_status status;

	if (!i || !(i->name = t4_name_of_file(path))) {
		import_close(i);
		return asc_err_nomem(e);
	}
	i->ops = ops;
	status = gunzip_map(path, MAX_BYTES, &i->text, e);
	if (status == ASC_OK)
		status = open_content(i, path, e);
	if (status == ASC_OK)
		status = keep_records(i, e);
	if (status == ASC_OK)
		*out = i;
	else
		import_close(i);
	return status;
}

void import_close(struct import *i)
{
	if (!i)
		return;
	if (i->file)
		i->ops->close(i->file);
	long_text_fini(&i->text);
	long_text_fini(&i->kept);
	free(i->ends);
	free(i->name);
	free(i);
}
