#include "reports/import/import_t4.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "tuner/base/buf.h"
#include "tuner/base/gunzip.h"
#include "tuner/base/hash.h"
#include "tuner/base/json.h"
#include "tuner/formats/t4.h"

enum { MAX_BYTES = 256 << 20 };

struct import_t4 {
	char *name; /* name of the file, without folder and endings */
	struct buf text;
	struct t4 *t4;
};

/* Rows that the results are recorded under. */
struct import {
	struct db *db;
	struct db_device device;
	struct db_problem problem;
	struct db_implementation implementation;
	struct db_run run;
	char uid[HASH_TEXT_SIZE];
	int64_t run_id;
	struct import_summary *summary;
};

/* ---- what the results are of ---- */

static const char *or_else(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

static void set_subject(struct import *i, const struct t4_subject *s, const char *workload,
			const char *device)
{
	i->device = (struct db_device){.kind = or_else(s->device_kind, "unknown"),
				       .model = or_else(s->device_model, device),
				       .arch = s->device_arch,
				       .driver = s->device_driver,
				       .fingerprint = or_else(s->device_fingerprint, device),
				       .clock = s->clock};
	i->problem = (struct db_problem){.workload = or_else(s->workload, workload),
					 .operator_name = s->operator_name,
					 .problem = or_else(s->problem, "imported"),
					 .problem_key = or_else(s->problem_key, "imported"),
					 .flops = s->flops,
					 .bytes = s->bytes};
	i->implementation =
		(struct db_implementation){.name = or_else(s->implementation, "imported"),
					   .index = s->implementation_index,
					   .key = or_else(s->implementation_key, "imported")};
}

/* Sets the uid: a content key of the results and the rows they are recorded under, not of the
 * file's place. */
static enum asc_status set_uid(struct import *i, const struct buf *text, struct asc_err *e)
{
	struct hash h;

	hash_init(&h);
	hash_add(&h, text->data, text->len);
	hash_add_str(&h, i->problem.workload);
	hash_add_str(&h, i->device.fingerprint);
	hash_add_str(&h, i->device.model);
	return hash_end(&h, i->uid, e);
}

/* ---- the results ---- */

static enum asc_status add_record(void *user, const struct t4_record *record, struct asc_err *e)
{
	struct import *i = user;
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

static enum asc_status record_all(struct import *i, const struct t4 *t4, struct asc_err *e)
{
	enum asc_status status = db_begin_batch(i->db, e);

	if (status != ASC_OK)
		return status;
	status = db_find_run(i->db, i->uid, &i->summary->known, e);
	if (status == ASC_OK && !i->summary->known) {
		status = db_begin_run(i->db, &i->device, &i->problem, &i->run, &i->run_id, e);
		if (status == ASC_OK)
			status = t4_each(t4, add_record, i, e);
		if (status == ASC_OK)
			status = db_end_run(i->db, i->run_id, "done", e);
	}
	return db_end_batch(i->db, status, e);
}

static void write_source(const char *name, struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "imported", name);
	json_write_end(&w, '}');
}

enum asc_status import_t4_record(struct import_t4 *from, struct db *d,
				 const struct import_names *names, struct import_summary *out,
				 struct asc_err *e)
{
	const struct t4_subject *s = t4_get_subject(from->t4);
	struct import i = {.db = d, .summary = out};
	struct buf values = {0}, source = {0};
	struct json_writer w = {&values, false};

	*out = (struct import_summary){0};
	set_subject(&i, s, or_else(names->workload, from->name),
		    or_else(names->device, from->name));
	write_source(from->name, &source);
	if (s->problem_values) {
		json_write_node(&w, NULL, s->problem_values);
		i.problem.dims_json = buf_str(&values);
	}
	i.run = (struct db_run){.version = names->version,
				.strategy = "import",
				.policy_json = buf_str(&source),
				.cache_policy = s->cache_policy,
				.simulated = true,
				.uid = i.uid,
				.implementations = &i.implementation,
				.n_implementations = 1};
	enum asc_status status = buf_check(&values, e) || buf_check(&source, e)
					 ? e->status
					 : set_uid(&i, &from->text, e);

	if (status == ASC_OK)
		status = record_all(&i, from->t4, e);
	buf_fini(&values);
	buf_fini(&source);
	return status;
}

/* ---- the file ---- */

static enum asc_status pass(void *user, const struct t4_record *record, struct asc_err *e)
{
	(void)user, (void)record, (void)e;
	return ASC_OK;
}

enum asc_status import_t4_open(const char *path, struct import_t4 **out, struct asc_err *e)
{
	struct import_t4 *i = calloc(1, sizeof *i);
	enum asc_status status;

	if (!i || !(i->name = t4_name_of_file(path))) {
		import_t4_close(i);
		return asc_err_nomem(e);
	}
	status = gunzip_read(path, MAX_BYTES, &i->text, e);
	if (status == ASC_OK)
		status = t4_open(path, buf_str(&i->text), i->text.len, &i->t4, e);
	if (status == ASC_OK)
		status = t4_each(i->t4, pass, NULL, e);
	if (status == ASC_OK)
		*out = i;
	else
		import_t4_close(i);
	return status;
}

void import_t4_close(struct import_t4 *i)
{
	if (!i)
		return;
	t4_close(i->t4);
	buf_fini(&i->text);
	free(i->name);
	free(i);
}
