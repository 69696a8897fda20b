/* Import of results.
 *
 * A file is opened by its importer and read once to its end, so that a damaged one fails before the
 * first row is written. Then each of its subjects becomes a run, in one transaction; a subject
 * whose results the database has, under the same names, is left out. */
#include "reports/exchange/import.h"

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

static enum asc_status add_record(void *user, const struct t4_record *record, struct asc_err *e)
{
	struct rows *i = user;
	struct buf json = {0}, key = {0};
	struct json_writer w = {&json, false};
	enum asc_status status;

	json_write_begin(&w, NULL, '{');
	for (size_t k = 0; k < record->config.n; k++)
		json_write_value(&w, record->names[k], record->config.values[k]);
	json_write_end(&w, '}');
	config_key(&record->config, record->names, &key);
	struct db_trial trial = {.implementation = i->implementation,
				 .config_json = buf_str(&json),
				 .config_key = buf_str(&key),
				 .is_default = record->is_default,
				 .recorded_ms = record->recorded_ms,
				 .result = &record->result};

	status = buf_check(&json, e) || buf_check(&key, e)
			 ? e->status
			 : db_add_trial(i->db, i->run_id, &trial, e);
	i->summary->results++;
	i->summary->ok += record->result.status == RESULT_OK;
	buf_fini(&json);
	buf_fini(&key);
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
		if (status == ASC_OK)
			status = from->ops->each(from->file, subject, add_record, i, e);
		if (status == ASC_OK)
			status = db_end_run(i->db, i->run_id, "done", e);
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
	enum asc_status status = db_begin_batch(d, e);

	*out = (struct import_summary){.known = true, .untimed = from->ops->untimed};
	if (status != ASC_OK)
		return status;
	for (size_t k = 0; k < count_subjects(from) && status == ASC_OK; k++)
		status = record_subject(&i, from, k, e);
	return db_end_batch(d, status, e);
}

/* ---- the file ---- */

static enum asc_status pass(void *user, const struct t4_record *record, struct asc_err *e)
{
	(void)user, (void)record, (void)e;
	return ASC_OK;
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
	/* Each record is read once for nothing: what is wrong with the last one is said before the
	 * first one is recorded. */
	for (size_t k = 0; status == ASC_OK && k < count_subjects(i); k++)
		status = i->ops->each(i->file, k, pass, NULL, e);
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
	free(i->name);
	free(i);
}
