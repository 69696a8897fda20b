#include "tuner/cmd/again/claim.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "db/run_view.h"
#include "reports/results/today.h"
#include "reports/tables/best_json.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/worker/policy.h"
#include "tuner/workload/space/config.h"

/* ---- reading a row ---- */

/* A member that is there and not null. */
static const struct json_node *find(const struct json_node *row, const char *name)
{
	const struct json_node *n = json_find(row, name);

	return n && json_type(n) != JSON_NULL ? n : NULL;
}

static enum asc_status read_field(const struct json_node *row, const struct db_field *f,
				  struct db_record *out, struct asc_err *e)
{
	const struct json_node *n = find(row, f->name);
	void *member = (char *)out + f->offset;
	struct value v = value_real(NAN); /* not known */

	switch (f->kind) {
	case DB_FIELD_TEXT: return n ? json_get_string(n, member, e) : ASC_OK;
	case DB_FIELD_INT: return n ? json_get_int(n, member, e) : ASC_OK;
	case DB_FIELD_REAL:
	case DB_FIELD_AMOUNT:
		if (n && json_get_value(n, &v, e))
			return e->status;
		*(double *)member = value_as_real(v);
		return ASC_OK;
	case DB_FIELD_JSON: break;
	}
	return ASC_OK;
}

static enum asc_status read_flag(const struct json_node *row, const char *name, bool *out,
				 struct asc_err *e)
{
	struct value v = value_bool(false);
	const struct json_node *n = find(row, name);

	if (n && json_get_value(n, &v, e))
		return e->status;
	*out = value_truth(v);
	return ASC_OK;
}

/* ---- rows that contradict themselves ---- */

static enum asc_status fail_config(const struct json_node *row, const char *key,
				   const struct config *c, const char *const *names,
				   struct asc_err *e)
{
	struct buf config = {0};

	config_key(c, names, &config);
	json_fail(row, e, "\"config_key\" is %s, but \"config\" is %s", key, buf_str(&config));
	buf_fini(&config);
	return e->status;
}

static enum asc_status check_config(const struct json_node *row, const char *key, struct asc_err *e)
{
	const char *names[CONFIG_MAX_PARAMETERS] = {0};
	struct config config = {0}, keyed;
	const struct json_node *n = find(row, "config");
	bool same = true;

	if (!n)
		return ASC_OK;
	if (json_expect(n, JSON_OBJECT, e))
		return e->status;
	/* The key names its parameters in another order than the file: values are compared by name.
	 */
	for (n = json_first(n); n && config.n < CONFIG_MAX_PARAMETERS; n = json_next(n)) {
		names[config.n] = json_key(n);
		if (json_get_choice(n, &config.values[config.n++], e))
			return e->status;
	}
	if (config_parse(key, names, config.n, &keyed, e))
		return e->status == ASC_INPUT ? fail_config(row, key, &config, names, e)
					      : e->status;
	for (size_t i = 0; i < config.n; i++)
		same = same && value_equal(config.values[i], keyed.values[i]);
	return same ? ASC_OK : fail_config(row, key, &config, names, e);
}

static enum asc_status check_times(const struct json_node *row, const struct db_record *r,
				   struct asc_err *e)
{
	/* Comparisons with NaN, of what is not known, are false. */
	if (r->median_ns < r->min_ns || r->median_ns > r->max_ns)
		return json_fail(row, e,
				 "\"median_ns\" is %g, but \"min_ns\" and \"max_ns\" are %g and %g",
				 r->median_ns, r->min_ns, r->max_ns);
	if (r->median_ns < r->low_ns || r->median_ns > r->high_ns)
		return json_fail(
			row, e, "\"median_ns\" is %g, but \"low_ns\" and \"high_ns\" are %g and %g",
			r->median_ns, r->low_ns, r->high_ns);
	return ASC_OK;
}

/* Compares the texts that a row and its provenance both have. */
static enum asc_status check_provenance(const struct json_node *row, const struct json_node *made,
					struct asc_err *e)
{
	for (const struct json_node *n = json_first(made); n; n = json_next(n)) {
		const struct json_node *other = find(row, json_key(n));
		const char *inside, *outside;

		if (!other || json_type(n) != JSON_STRING)
			continue;
		if (json_get_string(n, &inside, e) || json_get_string(other, &outside, e))
			return e->status;
		if (strcmp(inside, outside) != 0)
			return json_fail(row, e, "\"%s\" is %s, but that of \"provenance\" is %s",
					 json_key(n), outside, inside);
	}
	return ASC_OK;
}

/* ---- one row ---- */

enum asc_status claim_read(const struct json_node *row, struct claim *out, struct asc_err *e)
{
	/* Members without which nothing can be measured again. */
	static const char *const needed[] = {"workload",       "problem",    "device_kind",
					     "implementation", "config_key", NULL};
	const struct json_node *made = find(row, "provenance");

	*out = (struct claim){0};
	if (json_expect(row, JSON_OBJECT, e))
		return e->status;
	for (size_t i = 0; needed[i]; i++)
		if (!find(row, needed[i]))
			return json_fail(row, e,
					 "has no \"%s\": expected a row of a best "
					 "configuration",
					 needed[i]);
	for (const struct db_field *f = db_record_fields; f->name; f++)
		if (read_field(row, f, &out->row, e))
			return e->status;
	if (read_flag(row, "simulated", &out->row.simulated, e) ||
	    read_flag(row, "imported", &out->row.imported, e) ||
	    read_flag(row, "of_finals", &out->row.of_finals, e))
		return e->status;
	/* Rows may have been edited or pasted together: what contradicts itself is refused before
	 * minutes are spent on it. */
	if (check_config(row, out->row.config_key, e) || check_times(row, &out->row, e))
		return e->status;
	if (!made)
		return ASC_OK;
	return provenance_read(made, &out->made, e) ? e->status : check_provenance(row, made, e);
}

const struct json_node *claim_first(const struct json_doc *doc, struct asc_err *e)
{
	const struct json_node *root = json_root(doc), *list = json_find(root, "configurations");

	if (!list && json_type(root) == JSON_OBJECT)
		return root; /* one row alone */
	list = list ? list : root;
	if (json_expect(list, JSON_ARRAY, e))
		return NULL;
	if (!json_first(list))
		json_fail(list, e, "holds no configuration");
	return json_first(list);
}

enum asc_status claim_check(const struct claim *c, struct asc_err *e)
{
	const struct db_record *r = &c->row;
	enum result_status s = RESULT_OK;
	enum cache_policy cache;

	if (r->simulated)
		return asc_err_set(e, ASC_INPUT, "it was %s, not measured",
				   r->imported ? "imported" : "simulated");
	if (r->status && !result_status_parse(r->status, &s))
		return asc_err_set(e, ASC_INPUT, "it has the unknown status \"%s\"", r->status);
	if (r->cache_policy && !cache_policy_parse(r->cache_policy, &cache))
		return asc_err_set(e, ASC_INPUT, "it has the unknown cache policy \"%s\"",
				   r->cache_policy);
	if (!result_status_timed(s))
		return asc_err_set(e, ASC_INPUT, "it is %s (%s): it has no time to be reproduced",
				   r->status, r->reason ? r->reason : result_status_meaning(s));
	if (s == RESULT_SLOW)
		return asc_err_set(e, ASC_INPUT,
				   "it was dropped as slow after %lld sample%s: it has no time to "
				   "compare",
				   (long long)r->n_samples, r->n_samples == 1 ? "" : "s");
	if (r->n_samples < 1 || !(r->median_ns > 0))
		return asc_err_set(e, ASC_INPUT, "it has no time to be reproduced");
	return ASC_OK;
}

/* ---- one trial of a database ---- */

/* Writes the row as an exported one is written: claims are read in one way. */
static enum asc_status write_row(void *user, const struct db_record *row, struct asc_err *e)
{
	struct json_writer w = {user, false};

	json_write_begin(&w, NULL, '{');
	/* Provenance is the only one of the JSON fields that is read again. */
	for (const struct db_field *f = db_record_fields; f->name; f++)
		if (f->kind != DB_FIELD_JSON && field_json_write(&w, f, row, e))
			return e->status;
	json_write_bool(&w, "simulated", row->simulated);
	json_write_bool(&w, "imported", row->imported);
	json_write_bool(&w, "of_finals", row->of_finals);
	if (field_json_write_text(&w, "provenance", row->provenance_json, e))
		return e->status;
	json_write_end(&w, '}');
	return ASC_OK;
}

static enum asc_status take_commit(void *user, const struct db_run_record *r, struct asc_err *e)
{
	struct claim *out = user;

	(void)e;
	if (r->source_commit)
		snprintf(out->commit, sizeof out->commit, "%s%s", r->source_commit,
			 r->source_clean == 1 ? "" : " with changes");
	return ASC_OK;
}

static enum asc_status read_trial(struct db *d, const char *db, int64_t trial_id,
				  struct json_doc **doc, struct claim *out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = db_find_record(d, trial_id, write_row, &text, e);

	if (status == ASC_OK)
		status = buf_check(&text, e);
	if (status == ASC_OK)
		status = json_open_text(db, buf_str(&text), text.len, doc, e);
	if (status == ASC_OK)
		status = claim_read(json_root(*doc), out, e);
	if (status == ASC_OK)
		status = db_each_run(d, &(struct db_run_choice){.run_id = out->row.run_id},
				     take_commit, out, e);
	buf_fini(&text);
	return status;
}

enum asc_status claim_find(const char *db, int64_t trial_id, struct json_doc **doc,
			   struct claim *out, struct asc_err *e)
{
	struct db *d = NULL;
	enum asc_status status = db_open(db, DB_READ, &d, e);

	if (status == ASC_OK)
		status = read_trial(d, db, trial_id, doc, out, e);
	db_close(d);
	return status;
}

enum asc_status claim_find_run(const char *db, int64_t run_id, struct json_doc **doc,
			       struct claim *out, struct asc_err *e)
{
	struct db *d = NULL;
	int64_t trial_id = 0;
	enum asc_status status = db_open(db, DB_READ, &d, e);

	if (status == ASC_OK)
		status = today_find_chosen(d, run_id, &trial_id, e);
	if (status == ASC_OK && trial_id == 0)
		status = asc_err_set(e, ASC_NOTFOUND, "%s: nothing passed in run %" PRId64, db,
				     run_id);
	if (status == ASC_OK)
		status = read_trial(d, db, trial_id, doc, out, e);
	db_close(d);
	return status;
}
